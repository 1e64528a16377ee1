"""Running commands, and owning all that they leave running."""
