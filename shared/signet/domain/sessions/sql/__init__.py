"""The SQL of sessions."""
