"""Injections: what a session was given at its start, at prompts and by recall, from where, and what of it was used."""
