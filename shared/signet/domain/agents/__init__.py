"""Owners of memories, and their readers."""
