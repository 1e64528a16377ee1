"""The process that talks to MCP servers, and the only place where the SDK is imported: that takes a second."""
