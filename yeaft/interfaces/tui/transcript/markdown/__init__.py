"""Markdown as lines of a terminal, laid out piece by piece while it grows."""
