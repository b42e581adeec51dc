"""What can be seen from outside: logs and metrics."""
