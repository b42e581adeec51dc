"""Credentials: encrypted in one file, passed to commands as environment variables, and masked in their output."""
