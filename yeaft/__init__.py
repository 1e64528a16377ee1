"""A terminal agent whose conversation partner is a roster of virtual persons."""

__version__ = "0.1.0"
