"""Fetching from the web within bounds, and making text of it."""
