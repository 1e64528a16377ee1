"""Judging calls: rules, modes, paths, and what a shell command would really do."""
