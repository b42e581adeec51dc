"""Documents from outside: stored whole, searched in chunks."""
