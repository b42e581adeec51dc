"""Ways to read memories besides recall: the older search, similar memories, the export of vectors."""
