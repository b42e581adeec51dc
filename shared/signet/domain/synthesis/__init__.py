"""MEMORY.md: what matters now, in one file that every session begins with."""
