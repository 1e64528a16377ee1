"""The tools: one module each, with a factory that closes over exactly what the tool needs."""
