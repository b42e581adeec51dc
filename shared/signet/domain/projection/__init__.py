"""A map of memories: their vectors as points of a plane or a space, similar ones near each other."""
