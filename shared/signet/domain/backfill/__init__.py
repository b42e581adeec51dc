"""Sessions from before the installation: those stored by harnesses on this machine, read as if they ended now."""
