"""Letting go: what was forgotten long enough ago, and the traces of what is done."""
