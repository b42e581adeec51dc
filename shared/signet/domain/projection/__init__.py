"""A map of memories: their vectors as points of a plane or a space, near when they mean something alike."""
