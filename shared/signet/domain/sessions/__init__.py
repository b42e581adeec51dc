"""Sessions of agents and their transcripts."""
