"""Where a session stood when it was last looked at, so that the next one can go on from there."""
