"""Files of graphs: from YAML to a checked graph with every mistake in its place, and from a graph back to YAML."""
