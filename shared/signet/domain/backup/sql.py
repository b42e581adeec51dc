"""Check whether the database contains anything to copy, and whether it may be copied now."""

HAS_MEMORIES = "SELECT 1 FROM memories LIMIT 1"
#: Forgotten content is being removed from files, or erased content from the database, now or since an instant.
ERASES = """
SELECT 1 FROM memory_jobs WHERE job_type IN ('clean_texts', 'rewrite_store')
   AND (status IN ('pending', 'leased') OR created_at >= ?) LIMIT 1"""
