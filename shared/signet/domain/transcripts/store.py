"""The SQL of session ends: transcripts, and the summaries that are asked for.

A stored transcript only ever grows, so its length names its version within a session.
"""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.transcripts.models import Session, Transcript
from signet.queue import NORMAL, Job, enqueue

#: The kinds of jobs that read a session: into notes and facts, and into episodes (domain/episodes/index.py).
KIND = "summarize"
INDEX = "index_session"

_STORED = """
SELECT length(content) AS chars, read_until FROM session_transcripts WHERE agent_id = ? AND session_key = ?"""
_TEXT = "SELECT content FROM session_transcripts WHERE agent_id = ? AND session_key = ?"
_WHOLE = """
SELECT content, project, created_at FROM session_transcripts WHERE agent_id = ? AND session_key = ?"""
_PROJECTS = """
SELECT project FROM session_transcripts WHERE agent_id = ?1 AND session_key = ?2
 UNION SELECT project FROM session_states WHERE agent_id = ?1 AND session_key = ?2"""
_AFTER = (
    "SELECT substr(content, ? + 1) FROM session_transcripts WHERE agent_id = ? AND session_key = ?"
)
_MOVE = "UPDATE session_transcripts SET read_until = ? WHERE agent_id = ? AND session_key = ?"
_ASKED = """
SELECT id, status FROM summary_jobs WHERE agent_id = ? AND session_id = ? AND dedupe_key = ? AND status <> 'failed'
 ORDER BY created_at DESC, id DESC LIMIT 1"""
_OPEN = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
_ASK = """
INSERT INTO summary_jobs (id, session_id, agent_id, harness, project, transcript, dedupe_key, max_attempts, due_ms,
    queue, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'sessions', ?, ?)"""


def stored(tx: ReadTx, agent_id: str, key: str) -> tuple[int, int]:
    """Return how many characters are stored of a session, and up to where checkpoints have handed them on."""
    row = tx.one(_STORED, (agent_id, key))
    return (row["chars"], row["read_until"]) if row else (0, 0)


def text(tx: ReadTx, agent_id: str, key: str) -> str:
    """Return what is stored of a session, empty for nothing."""
    found: str | None = tx.value(_TEXT, (agent_id, key))
    return found or ""


def whole(tx: ReadTx, agent_id: str, key: str) -> Transcript | None:
    """Return the stored transcript of a session, None when there is none."""
    row = tx.one(_WHOLE, (agent_id, key))
    return Transcript(**row) if row else None


def projects(tx: ReadTx, agent_id: str, key: str) -> list[str | None]:
    """Return the projects that a session belongs to: as it runs, and as it is stored."""
    return [row[0] for row in tx.all(_PROJECTS, (agent_id, key))]


def after(tx: ReadTx, agent_id: str, key: str, position: int) -> str:
    """Return what is stored of a session behind a position."""
    found: str | None = tx.value(_AFTER, (position, agent_id, key))
    return found or ""


def move(tx: WriteTx, agent_id: str, key: str, position: int) -> None:
    """Note up to where checkpoints have handed a session on."""
    tx.run(_MOVE, (position, agent_id, key))


def ask_index(
    tx: WriteTx, agent_id: str, key: str, *, priority: int = NORMAL, now: datetime
) -> None:
    """Queue the indexing of a session for prompts to come, unless it is queued."""
    job = Job(
        kind=INDEX,
        dedupe_key=f"{agent_id}:{key}",
        agent_id=agent_id,
        payload={"session_key": key},
        priority=priority,
    )
    enqueue(tx, job, now=now)


def asked(tx: ReadTx, agent_id: str, key: str, version: str) -> tuple[str, bool] | None:
    """Return the job that was asked to read this version of a session, and whether it is still to be done."""
    row = tx.one(_ASKED, (agent_id, key, version))
    return (row["id"], row["status"] != "done") if row else None


def ask(
    tx: WriteTx,
    session: Session,
    *,
    slot: str,
    version: str,
    part: str = "",
    attempts: int,
    now: datetime,
) -> str:
    """Queue the reading of a session, or of `part` of it, and return the job's id.

    While a job for the same slot is open it is that one's: it reads what is stored when it runs.
    """
    job = Job(
        kind=KIND,
        dedupe_key=slot,
        agent_id=session.agent_id,
        payload={"is_part": True} if part else None,
    )
    job_id = enqueue(tx, job, now=now, max_attempts=attempts)
    if job_id is None:
        return str(tx.value(_OPEN, (job.unique_key,)))
    at = clock.to_text(now)
    owner = (session.key, session.agent_id, session.harness, session.project)
    due_ms = int(now.timestamp() * 1000)
    tx.run(_ASK, (job_id, *owner, part, version, attempts, due_ms, at, at))
    return job_id
