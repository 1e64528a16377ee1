"""A model that says what a script tells it to, over real HTTP on loopback: for the demo, tests and the benchmark."""
