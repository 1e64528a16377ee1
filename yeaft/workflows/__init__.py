"""Work that several VPs do in a known order: graphs of steps, and the patterns that are written as graphs."""
