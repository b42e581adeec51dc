"""Events of the work on this machine, kept on this machine."""
