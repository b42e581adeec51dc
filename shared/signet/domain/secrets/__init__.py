"""Credentials: encrypted in one file, given to commands as environment variables, taken out of what these print."""
