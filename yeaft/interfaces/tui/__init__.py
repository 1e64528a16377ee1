"""The full-screen terminal interface: widgets that send ops, hear events and hold no state of their own."""
