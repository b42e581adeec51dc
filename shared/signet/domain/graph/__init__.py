"""Entities, what is known of them, and how they hang together."""
