"""Injections: what a session received at its start, with prompts and by recall, the sources, and the use."""
