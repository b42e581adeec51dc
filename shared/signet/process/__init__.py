"""Shared behaviour of long-running processes: boot, stay with the parent, show signs of life, stop."""
