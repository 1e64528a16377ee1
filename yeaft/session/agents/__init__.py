"""Sub-agents: small Sessions inside the one of the VP that spawned them."""
