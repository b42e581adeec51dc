"""SQL of the retention preview."""

DUE = {
    "tombstones": "SELECT COUNT(*) FROM memories WHERE is_deleted = 1 AND COALESCE(deleted_at, updated_at) < ?",
    "history": "SELECT COUNT(*) FROM memory_history WHERE created_at < ?",
    "completedJobs": "SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed' AND completed_at < ?",
    "deadJobs": "SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead' AND failed_at < ?",
    "sessionMemories": "SELECT COUNT(*) FROM session_memories WHERE created_at < ?",
}
