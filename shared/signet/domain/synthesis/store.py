"""The SQL of synthesis: what is remembered, what has happened since, and when the file was written last."""

import json
from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx, runtime_settings, visibility
from signet.db.visibility import Reader
from signet.domain.memory.supersede import is_current
from signet.domain.synthesis.plan import Standing

KIND = "synthesize"

#: What a document, or a conversation that was read, says stands in its facts.
_WORTHY = f"""
m.is_deleted = 0 AND {is_current().sql} AND m.type <> 'document_chunk'
   AND NOT (m.source_type = 'session' AND m.extraction_status = 'completed')"""
_CANDIDATES = f"""
SELECT m.seq, m.importance, m.pinned, COALESCE(m.last_accessed, m.created_at) AS used_at FROM memories m
 WHERE {_WORTHY} AND (m.pinned = 1 OR (m.importance >= ? AND COALESCE(m.last_accessed, m.created_at) >= ?)) AND """
_TEXTS = """
SELECT seq, type, content, created_at FROM memories
 WHERE seq IN (SELECT value FROM json_each(?))"""
_NOTES = """
SELECT s.content, s.latest_at FROM session_summaries s
 WHERE s.agent_id = ? AND s.depth = 0 ORDER BY s.latest_at DESC LIMIT ?"""
_NEWEST = "SELECT MAX(m.seq) FROM memories m WHERE m.seq > ? AND m.is_deleted = 0 AND "
_FIRST = "SELECT created_at FROM memories WHERE agent_id = ? ORDER BY seq LIMIT 1"
_ACTIVE = """
SELECT MAX(at) FROM (
    SELECT * FROM (SELECT created_at AS at FROM memories WHERE created_at <= :now ORDER BY created_at DESC LIMIT 1)
    UNION ALL SELECT MAX(created_at) FROM summary_jobs WHERE created_at <= :now)"""
_RUNNING = "SELECT 1 FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
_ANY_RUNNING = f"SELECT 1 FROM memory_jobs WHERE status = 'leased' AND job_type = '{KIND}'"
_AGENTS = "SELECT id FROM agents ORDER BY id"


def candidates(tx: ReadTx, reader: Reader, *, least: float, since: str) -> list[Row]:
    """Return number, importance, pin and last use of the memories that may still matter."""
    seen = visibility.readable(reader)
    return tx.all(_CANDIDATES + seen.sql, (least, since, *seen.params))


def texts(tx: ReadTx, numbers: Sequence[int]) -> dict[int, Row]:
    """Return type, text and time of memories by their number."""
    return {row["seq"]: row for row in tx.all(_TEXTS, (json.dumps(list(numbers)),))}


def notes(tx: ReadTx, agent_id: str, limit: int) -> list[Row]:
    """Return the notes of an agent's last sessions, newest first."""
    return tx.all(_NOTES, (agent_id, limit))


def agents(tx: ReadTx) -> list[str]:
    """Return the ids of the agents that are registered."""
    return [row[0] for row in tx.all(_AGENTS)]


def newest(tx: ReadTx, reader: Reader, *, after: int = 0) -> int:
    """Return the number of the newest memory behind a number, that number when there is none."""
    seen = visibility.readable(reader)
    return tx.value(_NEWEST + seen.sql, (after, *seen.params)) or after


def active_at(tx: ReadTx, *, now: datetime) -> datetime | None:
    """Return when something was remembered, or a session ended, last."""
    return clock.parsed(tx.value(_ACTIVE, {"now": clock.to_text(now)}))


def standing(tx: ReadTx, reader: Reader) -> Standing:
    """Return how things stand with an agent's file."""
    at, seq = _state(tx, reader.agent_id)
    return Standing(
        last_run_at=clock.parsed(at),
        first_at=clock.parsed(tx.value(_FIRST, (reader.agent_id,))),
        has_news=newest(tx, reader, after=seq) > seq,
        is_running=tx.one(_RUNNING, (f"{KIND}:{reader.agent_id}",)) is not None,
    )


def is_running(tx: ReadTx) -> bool:
    """Return whether some agent's file is written just now."""
    return tx.one(_ANY_RUNNING) is not None


def last_run_at(tx: ReadTx, agent_id: str) -> str | None:
    """Return when an agent's file was written last, or tried to be."""
    return _state(tx, agent_id)[0]


def note_run(tx: WriteTx, agent_id: str, *, now: datetime, newest: int | None) -> None:
    """Note a run: the newest memory it knew, None for one that failed and knew nothing."""
    seq = _state(tx, agent_id)[1] if newest is None else newest
    state = json.dumps({"at": clock.to_text(now), "seq": seq})
    runtime_settings.put(tx, f"{KIND}:{agent_id}", state)


def _state(tx: ReadTx, agent_id: str) -> tuple[str | None, int]:
    value = runtime_settings.get(tx, f"{KIND}:{agent_id}")
    found = json.loads(value) if value else {}
    return found.get("at"), int(found.get("seq", 0))
