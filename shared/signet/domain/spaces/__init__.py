"""Named spaces in which several people share memories, and the acts by which memories enter and leave them."""
