"""The SQL of memories: `memories`, `memory_history`, `memories_cold`, `memory_hints`."""
