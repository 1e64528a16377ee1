"""Git worktrees of a Session."""
