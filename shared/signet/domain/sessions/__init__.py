"""Sessions of agents: how they begin, what each prompt is given, how they end, and where they stood."""
