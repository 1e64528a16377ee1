"""Reading and writing files so that no byte changes that was not meant to."""
