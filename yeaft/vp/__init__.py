"""Virtual persons: their files, the library, and import from other agents."""
