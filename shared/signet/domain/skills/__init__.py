"""Procedural memory: skills as folders with a SKILL.md, and as nodes of the graph."""
