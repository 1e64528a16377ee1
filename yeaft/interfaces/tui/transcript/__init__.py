"""What was said and done, as one scrolling column of blocks."""
