"""Diagnostics: score each part of the store, with reasons. Only reads."""
