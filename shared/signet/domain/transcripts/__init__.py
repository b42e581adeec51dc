"""Transcripts of sessions: reading the logs of harnesses, and the stored text of each session."""
