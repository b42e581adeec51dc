"""Retention: delete expired forgotten memories, and old records of activity."""
