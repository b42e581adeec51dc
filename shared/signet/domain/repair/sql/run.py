"""SQL of repair runs."""

OPEN = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
KEPT = "SELECT result FROM memory_jobs WHERE id = ?"
