"""Patches: read in two formats, put into files at the one place they can mean."""
