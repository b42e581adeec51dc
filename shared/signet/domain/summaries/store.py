"""The SQL of summaries: which session a job is for, what is known of it, and what is kept."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, Row, WriteTx, fts
from signet.domain.auth.tokens import NO_SCOPE, TokenScope
from signet.domain.injections import usefulness
from signet.domain.memory.supersede import is_current
from signet.domain.summaries.models import Asked, Score, Summary
from signet.domain.transcripts.models import Session

#: Characters per token, for the count that readers are shown.
TOKEN_CHARS = 4
#: Memories of a session that its summary is linked to (PIP-43).
MAX_LINKS = 50
#: How long before its end a session may have begun to remember.
SESSION_DAYS = 7
#: How many known names a session is searched for, the ones mentioned most; and from how many mentions on.
MAX_NAMES = 2_000
LEAST_MENTIONS = 3
#: How many earlier sessions novelty looks at.
SESSIONS_BEFORE = 5

_ASKED = """
SELECT s.id, s.agent_id, s.session_id, s.harness, s.project, s.transcript, s.created_at,
       t.content, t.created_at AS started_at, length(t.content) AS chars
  FROM summary_jobs s LEFT JOIN session_transcripts t ON t.agent_id = s.agent_id AND t.session_key = s.session_id
 WHERE s.id = ?"""
_CHARS = "SELECT length(content) FROM session_transcripts WHERE agent_id = ? AND session_key = ?"
_NAMES = """
SELECT canonical_name FROM entities WHERE agent_id = ? AND mentions >= ? AND length(canonical_name) >= 3
 ORDER BY mentions DESC LIMIT ?"""
_BEFORE = """
SELECT substr(t.content, 1, ?) FROM (
    SELECT session_id, MAX(completed_at) AS at FROM summary_jobs
     WHERE agent_id = ? AND status = 'done' AND session_id <> ? GROUP BY session_id ORDER BY at DESC LIMIT ?) s
  JOIN session_transcripts t ON t.agent_id = ? AND t.session_key = s.session_id"""
_PATH = "SELECT result_path FROM summary_jobs WHERE id = ?"
_LAST_PATH = """
SELECT result_path FROM summary_jobs
 WHERE agent_id = ? AND session_id = ? AND transcript = '' AND result_path IS NOT NULL AND status = 'done'
 ORDER BY created_at DESC LIMIT 1"""
_TAKEN = "SELECT 1 FROM summary_jobs WHERE result_path = ? AND id <> ?"
_SET_PATH = "UPDATE summary_jobs SET result_path = ? WHERE id = ?"
_FORGET_PART = "UPDATE summary_jobs SET transcript = '' WHERE id = ?"
_UPSERT = """
INSERT INTO session_summaries (id, project, depth, kind, content, token_count, earliest_at, latest_at, session_key,
    harness, agent_id, created_at) VALUES (?, ?, 0, 'session', ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id, session_key, depth) WHERE session_key IS NOT NULL DO UPDATE
   SET project = excluded.project, content = excluded.content, token_count = excluded.token_count,
       earliest_at = excluded.earliest_at, latest_at = excluded.latest_at, harness = excluded.harness
RETURNING id"""
_LINK = "INSERT INTO session_summary_memories (summary_id, memory_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
_REMEMBERED = f"""
SELECT id FROM memories INDEXED BY idx_memories_created
 WHERE session_id = ? AND agent_id = ? AND is_deleted = 0 AND created_at >= ? ORDER BY created_at LIMIT {MAX_LINKS}"""
_SCORE = """
INSERT INTO session_scores (id, agent_id, session_key, project, harness, score, confidence, memories_recalled,
    memories_used, novel_context_count, reasoning, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
#: What was replaced, or holds in one scope only, does not say what is to hold now and everywhere.
_LIKE = f"""
SELECT m.content FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid
 WHERE memories_fts MATCH ? AND m.agent_id = ? AND m.is_deleted = 0 AND m.type <> 'document_chunk'
   AND m.scope IS NULL AND m.visibility <> 'archived' AND {is_current().sql}
 ORDER BY f.rank LIMIT 10"""

_OPEN = """
SELECT s.id, s.content, s.earliest_at, s.latest_at FROM session_summaries s
 WHERE s.agent_id = ? AND s.project IS ? AND s.depth = ?
   AND NOT EXISTS (SELECT 1 FROM session_summary_children c WHERE c.child_id = s.id)
 ORDER BY s.latest_at, s.id LIMIT ?"""
_PARENT = """
INSERT INTO session_summaries (id, project, depth, kind, content, token_count, earliest_at, latest_at, agent_id,
    created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_CHILD = "INSERT INTO session_summary_children (parent_id, child_id, ordinal) VALUES (?, ?, ?)"

_PAGE_WHERE = (
    "WHERE (:project IS NULL OR project = :project) AND (:depth IS NULL OR depth = :depth)"
    " AND (:within_project IS NULL OR project = :within_project)"
    " AND (:within_agent IS NULL OR agent_id = :within_agent)"
)
_PAGE = f"""
SELECT s.*, (SELECT COUNT(*) FROM session_summary_children c WHERE c.parent_id = s.id) AS children
  FROM session_summaries s {_PAGE_WHERE} ORDER BY latest_at DESC, id DESC LIMIT :limit OFFSET :offset"""
_TOTAL = f"SELECT COUNT(*) FROM session_summaries {_PAGE_WHERE}"


def asked(tx: ReadTx, job_id: str, *, is_part: bool, now: datetime) -> Asked | None:
    """Return the session that a job is for, None when nothing is known of it.

    A whole session is read as it is stored now; an older file may hold more in the job itself.
    """
    row = tx.one(_ASKED, (job_id,))
    if row is None:
        return None
    stored, given = row["content"] or "", row["transcript"]
    text = given if is_part or len(given) > len(stored) else stored
    session = Session(
        agent_id=row["agent_id"],
        key=row["session_id"] or row["id"],
        harness=row["harness"],
        project=row["project"],
        text=text,
    )
    asked_at = clock.parsed(row["created_at"]) or now
    return Asked(
        job_id=row["id"],
        session=session,
        ended_at=asked_at,
        asked_at=asked_at,
        started_at=row["started_at"] or row["created_at"],
        chars=row["chars"] or 0,
        is_part=is_part,
    )


def stored_chars(tx: ReadTx, session: Session) -> int:
    """Return the length of the stored transcript, which names its version."""
    return tx.value(_CHARS, (session.agent_id, session.key)) or 0


def names(tx: ReadTx, agent_id: str) -> list[str]:
    """Return the lower-case names that an agent's memories mention most."""
    return [row[0] for row in tx.all(_NAMES, (agent_id, LEAST_MENTIONS, MAX_NAMES))]


def before(tx: ReadTx, session: Session, *, chars: int) -> list[str]:
    """Return the beginnings of the sessions that were read last."""
    owner = session.agent_id
    rows = tx.all(_BEFORE, (chars, owner, session.key, SESSIONS_BEFORE, owner))
    return [row[0] for row in rows]


def reserve(tx: WriteTx, job: Asked, names: Iterable[str]) -> str:
    """Return the path of a job's notes, chosen once and then kept: a job that runs again writes the same file.

    A session that goes on after its end keeps its file. Else it is the first name that no other job has.
    """
    path: str | None = tx.value(_PATH, (job.job_id,))
    if path is None and not job.is_part:
        path = tx.value(_LAST_PATH, (job.session.agent_id, job.session.key))
    if path is None:
        path = next(name for name in names if tx.one(_TAKEN, (name, job.job_id)) is None)
    tx.run(_SET_PATH, (path, job.job_id))
    return path


def forget_part(tx: WriteTx, job_id: str) -> None:
    """Drop the second copy of a part that was read; the transcript keeps it."""
    tx.run(_FORGET_PART, (job_id,))


def keep(tx: WriteTx, asked: Asked, summary: str, memory_ids: Sequence[str], now: datetime) -> str:
    """Store the summary of a session with its links to memories, instead of an earlier one; return its id."""
    session = asked.session
    at = clock.to_text(now)
    end = clock.to_text(asked.ended_at)
    row = (
        *(ids.new_id(), session.project, summary, len(summary) // TOKEN_CHARS),
        *(min(asked.started_at, end), end, session.key, session.harness, session.agent_id, at),
    )
    summary_id: str = tx.value(_UPSERT, row)
    tx.many(_LINK, ((summary_id, memory_id) for memory_id in memory_ids[:MAX_LINKS]))
    return summary_id


def remembered(tx: ReadTx, session: Session, *, since: datetime) -> list[str]:
    """Return the memories that were saved within a session."""
    rows = tx.all(_REMEMBERED, (session.key, session.agent_id, clock.to_text(since)))
    return [row[0] for row in rows]


def keep_score(tx: WriteTx, session: Session, score: Score, *, shown: int, now: datetime) -> None:
    """Store how well recall served a session."""
    owner = (session.agent_id, session.key)
    judged = (score.score, score.confidence, shown, score.used, score.novel, score.reasoning)
    at = clock.to_text(now)
    tx.run(_SCORE, (ids.new_id(), *owner, session.project, session.harness, *judged, at))
    usefulness.set_relevance(tx, *owner, score.relevance)


def like(tx: ReadTx, agent_id: str, words: Sequence[str]) -> list[str]:
    """Return the texts of an agent's memories that share most with these words."""
    return [row[0] for row in tx.all(_LIKE, (fts.any_of(words), agent_id))]


def uncondensed(
    tx: ReadTx, agent_id: str, project: str | None, depth: int, *, limit: int
) -> list[Summary]:
    """Return the oldest summaries of a depth that no other one stands for yet."""
    rows = tx.all(_OPEN, (agent_id, project, depth, limit))
    return [Summary(**{name: row[name] for name in row.keys()}) for row in rows]  # noqa: SIM118


def add_parent(
    tx: WriteTx,
    children: Sequence[Summary],
    content: str,
    *,
    agent_id: str,
    project: str | None,
    depth: int,
    kind: str,
    now: datetime,
) -> str:
    """Store the summary that stands for several and return its id."""
    parent_id = ids.new_id()
    span = (min(one.earliest_at for one in children), max(one.latest_at for one in children))
    size = len(content) // TOKEN_CHARS
    row = (parent_id, project, depth, kind, content, size, *span, agent_id, clock.to_text(now))
    tx.run(_PARENT, row)
    tx.many(_CHILD, ((parent_id, child.id, place) for place, child in enumerate(children)))
    return parent_id


def page(
    tx: ReadTx,
    *,
    project: str | None,
    depth: int | None,
    limit: int,
    offset: int,
    within: TokenScope = NO_SCOPE,
) -> tuple[list[Row], int]:
    """Return summaries, latest first, and how many there are; only those that a token's scope holds."""
    wanted = {
        "project": project,
        "depth": depth,
        "limit": limit,
        "offset": offset,
        "within_project": within.project,
        "within_agent": within.agent,
    }
    return tx.all(_PAGE, wanted), tx.value(_TOTAL, wanted)
