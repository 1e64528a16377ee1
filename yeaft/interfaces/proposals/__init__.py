"""What a call would change in files, in parts that the human can take, leave or write otherwise."""
