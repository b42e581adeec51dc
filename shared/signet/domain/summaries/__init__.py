"""Summarise sessions to notes and facts, and condense notes."""
