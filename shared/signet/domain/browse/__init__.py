"""Reading memories in other ways than recall: the older search, what is similar to one, the export of vectors."""
