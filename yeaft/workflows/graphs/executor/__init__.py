"""The token executor: the state of a run as a pure fold over its events, and what can be done next."""
