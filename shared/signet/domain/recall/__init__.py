"""What to bring back for a question."""
