"""Jupyter notebooks, changed without touching the rest of the file."""
