"""What opens over or beside the conversation: lists to choose from, and views to look at."""
