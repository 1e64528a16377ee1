"""Graphs of steps: read and checked once, then run as a fold over a journal that any owner can go on with."""
