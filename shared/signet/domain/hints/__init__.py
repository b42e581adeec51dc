"""Hints: possible later questions, stored with a memory so that other words find it."""
