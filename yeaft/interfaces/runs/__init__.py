"""Runs of graphs as every screen tells of them: folded from their events, in lines, step by step."""
