"""Memories: written, read, changed, forgotten; and the text rules they all share."""
