"""What happened to one thing, in the order of time, from all that tells of it."""
