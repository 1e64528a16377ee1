"""Artifacts in a Session: files become some, messages name them."""
