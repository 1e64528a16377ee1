"""What a person or program meets: the command line, and the one file that wires everything."""
