"""Whether the database holds anything to copy."""

HAS_MEMORIES = "SELECT 1 FROM memories LIMIT 1"
