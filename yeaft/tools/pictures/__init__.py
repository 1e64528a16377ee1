"""Pictures, made fit to be sent to a model."""
