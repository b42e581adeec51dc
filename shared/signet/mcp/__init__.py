"""The Model Context Protocol without transport: tools, requests and replies."""
