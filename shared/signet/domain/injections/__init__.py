"""Injections: what a session receives at its start, with prompts and by recall, with sources and use."""
