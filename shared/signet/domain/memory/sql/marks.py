"""The statements that store something with a memory without changing its version."""

SET_EXTRACTION = "UPDATE memories SET extraction_status = ?, extraction_model = ? WHERE id = ?"
SET_VECTOR_MODEL = (
    "UPDATE memories SET embedding_model = ?1 WHERE id = ?2 AND embedding_model IS NOT ?1"
)
COUNT_USE = "UPDATE memories SET access_count = access_count + 1, last_accessed = ? WHERE id = ?"
COUNT_SHOWING = "UPDATE memories SET access_count = access_count + 1 WHERE id = ?"
SET_PLACE = "UPDATE memories SET source_path = ?, source_section = ? WHERE id = ?"
#: A change by a person or a repair: one version more.
SET_TAGS = (
    "UPDATE memories SET tags = ?, updated_at = ?, updated_by = ?, version = version + 1,"
    " update_count = COALESCE(update_count, 0) + 1 WHERE id = ?"
)
