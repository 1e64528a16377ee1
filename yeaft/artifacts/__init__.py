"""Typed outputs: kept in a folder with where they came from, found by id, checked whenever they are read."""
