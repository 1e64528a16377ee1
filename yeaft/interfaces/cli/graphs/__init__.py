"""Runs of graphs on the command line: driven, shown while they go on, and reported."""
