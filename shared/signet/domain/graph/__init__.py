"""Entities, their aspects and attributes, and how they relate to each other."""
