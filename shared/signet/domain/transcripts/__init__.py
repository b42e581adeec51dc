"""Transcripts of sessions: reading the logs of harnesses, and what is stored of each session."""
