"""Where the user writes: the draft, its completion, and who will answer it."""
