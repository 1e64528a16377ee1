"""What fits in a model's window: a bounded copy of history, the same every time; nothing stored changes."""
