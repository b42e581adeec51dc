"""What was said before Signet came: the sessions that harnesses keep on this machine, read as if they ended now."""
