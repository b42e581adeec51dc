"""Vectors of memories and skills, and their upkeep."""
