"""Skills: instructions for a kind of work, kept as SKILL.md files that a VP loads when it needs them."""
