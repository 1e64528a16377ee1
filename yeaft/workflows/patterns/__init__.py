"""Ways of working together that have a name: each is a pure function from a few wishes to the YAML of a graph."""
