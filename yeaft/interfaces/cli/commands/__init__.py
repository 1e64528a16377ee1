"""The sub-commands, one module each with a `run(options, words)` that returns the exit code."""
