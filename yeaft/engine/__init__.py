"""One turn: decide, request, stream, calls, window. No screen, no disk."""
