"""Sessions of agents: their start, the context of each prompt, their end, and their checkpoints."""
