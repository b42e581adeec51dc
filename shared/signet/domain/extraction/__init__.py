"""Turning text into facts: with a model, or with the built-in rules."""
