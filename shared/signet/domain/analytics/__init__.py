"""What was used, how fast it was and what went wrong since the daemon started."""
