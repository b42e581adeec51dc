"""Extract facts from text, with a model or the built-in rules."""
