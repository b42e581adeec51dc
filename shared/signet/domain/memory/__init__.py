"""Memories: save, read, change, forget; and the text rules that these share."""
