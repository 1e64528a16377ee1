"""What can be taken over from other agents: where they keep it, what it becomes here, and the taking."""
