"""Finding files and lines: ripgrep where it is, our own equal search where it is not."""
