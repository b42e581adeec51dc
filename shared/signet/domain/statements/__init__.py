"""Analyse sentences: language, kind, and boundaries. Pure."""
