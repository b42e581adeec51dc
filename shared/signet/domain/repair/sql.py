"""SQL of repairs; the owners of the tables make the changes.

`condition` returns a row filter as one condition with named parameters, for any table's columns.
"""

import json

from signet.db.dialect import LIST, THEN_JOIN, list_of
from signet.domain.embeddings.models import CURRENT
from signet.domain.memory.filters import EQUAL
from signet.domain.repair.models import RowChoice
from signet.domain.summaries.requests import KIND as SUMMARIZE
from signet.queue.kinds import HAS_FAILED
from signet.queue.stats import STALE as IS_STALE


def condition(*, id: str, kind: str | None = None, at: str, error: str | None = None) -> str:
    """Return the filter condition on these columns (all from this program, never from a caller)."""
    parts = [
        f"(:ids IS NULL OR {id} IN {list_of(':ids')})",
        f"{at} >= COALESCE(:since, '') AND {at} < COALESCE(:until, '~')",
    ]
    if kind is not None:
        parts.append(f"(:kinds IS NULL OR {kind} IN {list_of(':kinds')})")
    if error is not None:
        parts.append(f"(:error IS NULL OR lower(COALESCE({error}, '')) GLOB :error)")
    return " AND ".join(parts)


def parameters(chosen: RowChoice) -> dict[str, object]:
    return {
        "ids": None if chosen.ids is None else json.dumps(chosen.ids),
        "kinds": None if chosen.kinds is None else json.dumps(chosen.kinds),
        "since": chosen.since,
        "until": chosen.until,
        "error": None if chosen.error is None else pattern(chosen.error),
    }


def pattern(text: str) -> str:
    """Return a GLOB pattern for errors that contain this text, in which `*` matches any text."""
    quoted = "".join(f"[{sign}]" if sign in "[?" else sign for sign in text.lower())
    return f"*{quoted}*"


DUPLICATE_FIELDS = (
    "id, content, content_hash, agent_id, visibility, scope, type, tags, importance, access_count, update_count,"
    " updated_at, pinned, manual_override, superseded_by"
)
_CHOSEN_DUPLICATES = condition(id="id", kind="type", at="created_at")
EQUAL_MEMORIES = f"""
SELECT group_concat(id, char(10)) AS ids FROM memories WHERE is_deleted = 0 AND content_hash IS NOT NULL
   AND {_CHOSEN_DUPLICATES}
 GROUP BY {EQUAL} HAVING COUNT(*) > 1
    AND SUM(COALESCE(pinned, 0) + COALESCE(manual_override, 0) + (superseded_by IS NOT NULL)) = 0
 ORDER BY COUNT(*) DESC, MIN(seq) LIMIT :limit"""
MEMORIES = (
    f"SELECT {DUPLICATE_FIELDS} FROM memories WHERE id IN {LIST} AND is_deleted = 0 ORDER BY seq"
)
WITH_VECTOR = f"""
SELECT m.id, e.vector FROM memories m JOIN embeddings e ON e.source_type = 'memory' AND e.source_id = m.id
 WHERE m.is_deleted = 0 AND COALESCE(m.pinned, 0) = 0 AND COALESCE(m.manual_override, 0) = 0
   AND m.superseded_by IS NULL AND {condition(id="m.id", kind="m.type", at="m.created_at")}
   AND NOT EXISTS (SELECT 1 FROM embeddings more WHERE more.source_type = 'memory' AND more.source_id = m.id
                      AND more.ordinal > 0)
 ORDER BY m.created_at, m.seq LIMIT :limit"""
VECTOR_OWNER = """
SELECT e.source_id FROM embeddings e WHERE e.id = ? AND e.source_type = 'memory' AND e.ordinal = 0
   AND NOT EXISTS (SELECT 1 FROM embeddings more WHERE more.source_type = 'memory' AND more.source_id = e.source_id
                      AND more.ordinal > 0)"""


_REMOVABLE = f"""
e.pinned = 0 AND e.entity_type NOT IN ('skill', 'task')
AND NOT EXISTS (SELECT 1 FROM entity_pinning p WHERE p.entity_id = e.id)
AND {condition(id="e.id", at="e.created_at")}"""
CHUNK_GROUPS = f"""
SELECT e.id, e.name, e.agent_id FROM entities e WHERE e.entity_type = 'chunk_group' AND {_REMOVABLE}
 ORDER BY e.seq LIMIT :limit"""
SINGLETONS = f"""
SELECT e.id, e.name, e.agent_id FROM entities e WHERE e.entity_type = 'extracted' AND e.mentions <= :most
   AND {_REMOVABLE}
   AND (SELECT COUNT(*) FROM memory_entity_mentions m WHERE m.entity_id = e.id) <= :most
   AND NOT EXISTS (SELECT 1 FROM entity_aspects s WHERE s.entity_id = e.id)
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.entity_id = e.id)
 ORDER BY e.seq LIMIT :limit"""
ENTITIES = f"""
SELECT e.id, e.name, e.agent_id, e.seq, e.canonical_name,
   e.entity_type = 'extracted' AND NOT EXISTS (
     SELECT 1 FROM memory_entity_mentions n WHERE n.entity_id = e.id AND n.confidence IS NOT :found) AS is_found
  FROM entities e WHERE e.entity_type <> 'chunk_group' AND e.seq > :after AND {_REMOVABLE}
 ORDER BY e.seq LIMIT :limit"""
MENTIONING_TEXTS = f"""
SELECT m.content FROM memory_entity_mentions n {THEN_JOIN} memories m ON m.id = n.memory_id
 WHERE n.entity_id = ? AND m.is_deleted = 0 ORDER BY m.seq DESC LIMIT ?"""
UNTYPED_ENTITIES = f"""
SELECT e.id, e.name, e.agent_id FROM entities e WHERE e.entity_type = 'extracted'
   AND {condition(id="e.id", at="e.created_at")} ORDER BY e.mentions DESC, e.seq LIMIT :limit"""
ENTITY_FACTS = f"""
SELECT substr(m.content, 1, ?) FROM memory_entity_mentions n {THEN_JOIN} memories m ON m.id = n.memory_id
 WHERE n.entity_id = ? AND m.is_deleted = 0 ORDER BY m.importance DESC, m.seq DESC LIMIT ?"""


RUNS = "SELECT last_run_at, window_started_at, runs_in_window FROM repair_runs WHERE action = ?"
RECORD_RUN = """
INSERT INTO repair_runs (action, last_run_at, window_started_at, runs_in_window) VALUES (?, ?, ?, ?)
ON CONFLICT (action) DO UPDATE SET last_run_at = excluded.last_run_at,
       window_started_at = excluded.window_started_at, runs_in_window = excluded.runs_in_window"""
HALTED_ACTIONS = "SELECT action FROM repair_runs WHERE halted = 1 ORDER BY action"
COUNT_USELESS = """
INSERT INTO repair_runs (action, ineffective, halted) VALUES (:action, 1, 1 >= :patience)
ON CONFLICT (action) DO UPDATE SET ineffective = ineffective + 1, halted = ineffective + 1 >= :patience"""
RESET_USELESS = "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE action = ?"
RESET_ALL_USELESS = (
    "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE ineffective > 0 OR halted > 0"
)


_CHOSEN_JOBS = condition(id="id", kind="job_type", at="{at}", error="error")
DEAD_JOBS = f"""
SELECT id, job_type, error, failed_at, agent_id FROM memory_jobs WHERE id IN (
SELECT min(id) FROM memory_jobs WHERE {HAS_FAILED}
   AND {_CHOSEN_JOBS.format(at="failed_at")}
   AND (:lives IS NULL OR runs_total < :lives * max_attempts)
   AND NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.dedupe_key = memory_jobs.dedupe_key
                      AND open.status IN ('pending', 'leased'))
 GROUP BY COALESCE(dedupe_key, id))
 ORDER BY job_type = '{SUMMARIZE}', failed_at, id LIMIT :limit"""
_WITHOUT_JOB = "NOT EXISTS (SELECT 1 FROM memory_jobs j WHERE j.id = s.id)"
DEAD_SUMMARIES = f"""
SELECT s.id, '{SUMMARIZE}' AS job_type, s.error, s.failed_at, s.agent_id FROM summary_jobs s WHERE status = 'failed'
   AND {condition(id="s.id", kind=f"'{SUMMARIZE}'", at="COALESCE(s.failed_at, s.created_at)", error="s.error")}
   AND {_WITHOUT_JOB} ORDER BY s.created_at, s.id LIMIT :limit"""
STALE_LEASES = f"""
SELECT id, job_type, leased_at, lease_owner, lease_token, attempts, max_attempts, crashes, queue, agent_id
  FROM memory_jobs WHERE {IS_STALE}
   AND {condition(id="id", kind="job_type", at="COALESCE(leased_at, '')")}
 ORDER BY leased_at, id LIMIT :limit"""
STALE_SUMMARIES = f"""
SELECT id FROM summary_jobs s WHERE status = 'processing' AND COALESCE(leased_at, '') < :before
   AND {_WITHOUT_JOB} LIMIT 50"""
ENDED_JOBS = f"""
SELECT * FROM memory_jobs WHERE status = :status AND {_CHOSEN_JOBS} ORDER BY {{at}}, id LIMIT :limit"""
COUNT_ENDED_JOBS = f"""
SELECT COUNT(*) FROM (SELECT 1 FROM memory_jobs WHERE status = :status AND {_CHOSEN_JOBS} LIMIT :limit)"""


_CHOSEN_MEMORIES = condition(id="m.id", kind="m.type", at="m.created_at")
#: A text for a preview; empty for a memory that may not be read (db/visibility.py).
_TEXT = "CASE WHEN m.visibility IN ('global', 'private') THEN m.content ELSE '' END AS shown"
_UNLINKED = f"""
FROM memories m WHERE m.is_deleted = 0 AND m.type <> 'document_chunk' AND {_CHOSEN_MEMORIES}
 AND NOT EXISTS (SELECT 1 FROM memory_entity_mentions n WHERE n.memory_id = m.id)"""
SOME_UNLINKED = f"""
SELECT m.seq, m.id, m.content, m.agent_id, {_TEXT} {_UNLINKED} AND m.seq > :after ORDER BY m.seq LIMIT :limit"""
COUNT_UNLINKED = f"SELECT COUNT(*) {_UNLINKED} AND m.seq > :after"
#: A memory that names entities but is the source of no attribute.
UNFILED = f"""
SELECT id, content, agent_id, shown, entity_id FROM (
SELECT m.seq, m.id, m.content, m.agent_id, {_TEXT},
       (SELECT n.entity_id FROM memory_entity_mentions n JOIN entities e ON e.id = n.entity_id
         WHERE n.memory_id = m.id AND e.entity_type NOT IN ('chunk_group', 'skill')
         ORDER BY n.confidence DESC, n.rowid LIMIT 1) AS entity_id
  FROM memories m WHERE m.is_deleted = 0 AND m.type <> 'document_chunk' AND {_CHOSEN_MEMORIES}
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.source_memory_id = m.id))
 WHERE entity_id IS NOT NULL ORDER BY seq LIMIT :limit"""
WITHOUT_HINTS = f"""
SELECT m.id, m.content, m.agent_id, {_TEXT} FROM memories m
 WHERE m.is_deleted = 0 AND m.type <> 'document_chunk' AND {_CHOSEN_MEMORIES}
   AND NOT EXISTS (SELECT 1 FROM memory_hints h WHERE h.memory_id = m.id)
   AND NOT EXISTS (SELECT 1 FROM memory_jobs j WHERE j.memory_id = m.id AND j.job_type = 'prospective_index'
                      AND j.status IN ('pending', 'leased')) ORDER BY m.seq DESC LIMIT :limit"""
#: A forgotten source, purged or not; not one merged into another memory.
_FORGOTTEN = """
s.kind = 'memory' AND NOT EXISTS (SELECT 1 FROM memories a WHERE a.id = s.source_id AND a.is_deleted = 0)
   AND EXISTS (SELECT 1 FROM memory_history h WHERE h.memory_id = s.source_id AND h.event IN ('deleted', 'rejected'))
   AND NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.memory_id = s.source_id
                      AND h.reason LIKE 'dedup: duplicate of %')"""
_FACTS_OF_FORGOTTEN = f"""
FROM memories m WHERE m.is_deleted = 0 AND COALESCE(m.pinned, 0) = 0 AND COALESCE(m.manual_override, 0) = 0
   AND m.id IN (SELECT memory_id FROM memory_sources)
   AND NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id AND NOT ({_FORGOTTEN}))"""
#: Facts whose sources are all forgotten, with one of them, and whether a person forgot it.
FACTS_OF_FORGOTTEN = f"""
SELECT l.*, EXISTS (SELECT 1 FROM memory_history h WHERE h.memory_id = l.root_id AND h.event IN ('deleted', 'rejected')
                       AND h.actor_type IS NOT 'pipeline') AS is_asked
  FROM (SELECT m.id, m.content, m.agent_id, {_TEXT}, (SELECT min(s.source_id) FROM memory_sources s
                                               WHERE s.memory_id = m.id) AS root_id
          {_FACTS_OF_FORGOTTEN} AND {_CHOSEN_MEMORIES} ORDER BY m.seq LIMIT :limit) l"""
COUNT_FACTS_OF_FORGOTTEN = f"SELECT COUNT(*) {_FACTS_OF_FORGOTTEN}"
_DEAD_MEMORIES = f"""
FROM memories m WHERE m.is_deleted = 0 AND COALESCE(m.pinned, 0) = 0 AND COALESCE(m.manual_override, 0) = 0
   AND COALESCE(m.confidence, 1.0) <= :confidence
   AND COALESCE(m.last_accessed, m.created_at) < :before AND m.agent_id NOT GLOB :hidden AND {_CHOSEN_MEMORIES}
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.source_memory_id = m.id AND a.kind = 'constraint'
                      AND a.status = 'active')"""
DEAD_MEMORIES = f"""
SELECT m.id, {_TEXT}, m.confidence, m.importance, m.last_accessed, m.access_count {_DEAD_MEMORIES}
 ORDER BY m.confidence, m.importance, m.seq LIMIT :limit"""
COUNT_DEAD_MEMORIES = f"SELECT COUNT(*) {_DEAD_MEMORIES}"


EXPIRED = {
    "tombstones": "SELECT COUNT(*) FROM memories WHERE is_deleted = 1 AND COALESCE(deleted_at, updated_at) < ?",
    "history": "SELECT COUNT(*) FROM memory_history WHERE created_at < ?",
    "completedJobs": "SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed' AND completed_at < ?",
    "deadJobs": "SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead' AND failed_at < ?",
    "sessionMemories": "SELECT COUNT(*) FROM session_memories WHERE created_at < ?",
}


OPEN_JOB = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
JOB_RESULT = "SELECT result FROM memory_jobs WHERE id = ?"


#: The newest completed job of a session that has a transcript but no summary.
SKIPPED_SESSIONS = f"""
SELECT s.id, s.session_id, s.agent_id, s.completed_at, s.max_attempts, j.result FROM summary_jobs s
  LEFT JOIN memory_jobs j ON j.id = s.id
 WHERE s.status = 'done' AND s.transcript = ''
   AND {condition(id="s.id", at="COALESCE(s.completed_at, s.created_at)")}
   AND EXISTS (SELECT 1 FROM session_transcripts t WHERE t.agent_id = s.agent_id AND t.session_key = s.session_id)
   AND NOT EXISTS (SELECT 1 FROM session_summaries y
                    WHERE y.agent_id = s.agent_id AND y.session_key = s.session_id AND y.depth = 0)
   AND NOT EXISTS (SELECT 1 FROM summary_jobs later WHERE later.agent_id = s.agent_id
                      AND later.session_id = s.session_id AND later.created_at > s.created_at)
   AND NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.status IN ('pending', 'leased')
                      AND open.dedupe_key = '{SUMMARIZE}:' || s.agent_id || ':' || s.session_id)
   AND COALESCE(j.result, '') NOT LIKE '%not_significant%'
 ORDER BY s.created_at, s.id LIMIT :limit"""


COLD = """
SELECT COUNT(*) AS count, MIN(archived_at) AS oldest, MAX(archived_at) AS newest,
       COALESCE(SUM(length(CAST(content AS BLOB)) + COALESCE(length(CAST(original_row_json AS BLOB)), 0)), 0) AS bytes
  FROM memories_cold"""
COLD_REASONS = "SELECT COALESCE(archived_reason, 'unknown'), COUNT(*) FROM memories_cold GROUP BY 1 ORDER BY 2 DESC"
COLD_TABLE = "memories_cold"
ANY_VECTOR = (
    "SELECT vector FROM embeddings WHERE length(vector) = 4 * dimensions ORDER BY seq DESC LIMIT 1"
)
COUNT_OUTDATED_VECTORS = f"""
SELECT COUNT(*) FROM memories m WHERE m.is_deleted = 0 AND NOT {CURRENT}
   AND EXISTS (SELECT 1 FROM embeddings e WHERE e.source_type = 'memory' AND e.source_id = m.id)"""


#: No active memory has it. A vector shared with a live memory that has none stays (RP-12): the live memory gets its
#: own first.
ORPHANED_VECTORS = f"""
SELECT e.source_id AS id, COUNT(*) AS vectors FROM embeddings e
 WHERE e.source_type = 'memory' AND {condition(id="e.source_id", at="e.created_at")}
   AND e.source_id > :after
   AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = e.source_id AND m.is_deleted = 0)
   AND NOT EXISTS (SELECT 1 FROM memories live WHERE live.content_hash = e.content_hash AND live.is_deleted = 0
                      AND NOT EXISTS (SELECT 1 FROM embeddings own
                                       WHERE own.source_type = 'memory' AND own.source_id = live.id))
 GROUP BY e.source_id ORDER BY e.source_id LIMIT :limit"""
WITHOUT_VECTOR = f"""
SELECT m.id FROM memories m WHERE m.is_deleted = 0 AND NOT {CURRENT}
   AND {condition(id="m.id", kind="m.type", at="m.created_at")}
   AND m.id NOT IN {list_of(":failed")} ORDER BY m.created_at, m.seq LIMIT :limit"""
COUNT_WITHOUT_VECTOR = f"""
SELECT COUNT(*) FROM memories m WHERE m.is_deleted = 0 AND NOT {CURRENT}
   AND {condition(id="m.id", kind="m.type", at="m.created_at")}"""
STRAY_INDEX_ROWS = """
SELECT v.rowid AS place, v.id FROM vec_embeddings_rowids v
 WHERE v.rowid > ? AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.id = v.id) ORDER BY v.rowid LIMIT ?"""
UNINDEXED_VECTORS = """
SELECT e.seq, e.id, e.vector FROM embeddings e
 WHERE e.seq > ? AND e.dimensions = ? AND length(e.vector) = 4 * e.dimensions
   AND NOT EXISTS (SELECT 1 FROM vec_embeddings_rowids v WHERE v.id = e.id) ORDER BY e.seq LIMIT ?"""
VECTOR_WIDTHS = "SELECT dimensions FROM embeddings ORDER BY seq DESC LIMIT 1000"
VECTOR_OF_WIDTH = (
    "SELECT vector FROM embeddings WHERE dimensions = ? AND length(vector) = 4 * dimensions LIMIT 1"
)
COUNT_MALFORMED_VECTORS = "SELECT COUNT(*) FROM embeddings WHERE length(vector) <> 4 * dimensions"
COUNT_VECTORS_OF_WIDTH = "SELECT COUNT(*) FROM embeddings WHERE dimensions = ?"
COUNT_INDEXED = "SELECT COUNT(*) FROM vec_embeddings_rowids"
