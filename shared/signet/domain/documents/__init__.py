"""Text from outside: stored whole, read in chunks."""
