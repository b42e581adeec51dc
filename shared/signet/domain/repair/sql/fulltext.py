"""The statements of repairs of fulltext."""

HAS = "SELECT 1 FROM sqlite_master WHERE name = ?"
