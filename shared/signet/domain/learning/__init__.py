"""Learning: what sessions show of the memories that they were given, and what follows for the next ones."""
