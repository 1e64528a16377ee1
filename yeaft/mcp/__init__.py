"""The client side of the Model Context Protocol: which servers there are, what they offer, and calling it."""
