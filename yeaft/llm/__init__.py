"""Models: one protocol to talk to them, one module per wire protocol, the catalogue and the router."""
