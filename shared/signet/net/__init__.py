"""Talking to other programs over HTTP."""
