"""What was noted, read back: errors, counters by name, and how well sessions were served."""

from collections.abc import Mapping
from dataclasses import dataclass

from signet.db import ReadTx, Row
from signet.domain.analytics.keep import LIFE
from signet.observe.taxonomy import Stage

#: Errors that the safety of memories is judged by.
SAFETY_ERRORS = 50

_ERRORS = """
SELECT timestamp, stage, code, message, request_id, memory_id, actor FROM error_events
 WHERE (:stage IS NULL OR stage = :stage) AND (:since IS NULL OR timestamp >= :since)
 ORDER BY seq DESC LIMIT :limit"""
_SUMMARY = """
SELECT code, COUNT(*) FROM error_events WHERE (:stage IS NULL OR stage = :stage) GROUP BY code ORDER BY code"""
_COUNTED = "SELECT name, key, value FROM runtime_counters WHERE process = ? AND boot_id = ?"
_SCORES = """
SELECT id, session_key, project, harness, score, memories_recalled, memories_used, novel_context_count, reasoning,
       created_at
  FROM session_scores WHERE (:project IS NULL OR project = :project)
 ORDER BY created_at DESC, rowid DESC LIMIT :limit"""
#: Sessions without a project are one group (AN-16).
_LATEST = """
SELECT project, score, created_at FROM (
    SELECT project, score, created_at, rowid AS row,
           ROW_NUMBER() OVER (PARTITION BY project ORDER BY created_at DESC, rowid DESC) AS place
      FROM session_scores)
 WHERE place = 1 ORDER BY created_at DESC, row DESC"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which errors are asked for."""

    stage: Stage | None = None
    since: str | None = None
    limit: int = 50


def errors(tx: ReadTx, wanted: Wanted) -> list[dict[str, object]]:
    """Return the newest errors that are wanted, oldest first."""
    rows = tx.all(_ERRORS, {"stage": wanted.stage, "since": wanted.since, "limit": wanted.limit})
    return [_error(row) for row in reversed(rows)]


def summary(tx: ReadTx, stage: Stage | None = None) -> dict[str, int]:
    """Return how many errors of each code are kept, of all stages or of one."""
    return {row[0]: row[1] for row in tx.all(_SUMMARY, {"stage": stage})}


def counted(tx: ReadTx, process: str, names: tuple[str, ...]) -> dict[str, dict[str, int]]:
    """Return the counters of each caller (`actor`) or connector, 0 where nothing was counted."""
    found: dict[str, dict[str, int]] = {}
    for row in tx.all(_COUNTED, (process, LIFE)):
        mine = found.setdefault(row["key"], dict.fromkeys(names, 0))
        mine[row["name"]] = int(row["value"])
    return dict(sorted(found.items()))


def scores(tx: ReadTx, *, project: str | None, limit: int) -> list[dict[str, object]]:
    """Return how well sessions were served, newest first."""
    return [dict(row) for row in tx.all(_SCORES, {"project": project, "limit": limit})]


def latest(tx: ReadTx) -> list[dict[str, object]]:
    """Return the newest score of each project, newest first."""
    return [dict(row) for row in tx.all(_LATEST)]


def _error(row: Row) -> dict[str, object]:
    optional = {
        "requestId": row["request_id"],
        "memoryId": row["memory_id"],
        "actor": row["actor"],
    }
    said: Mapping[str, object] = {name: value for name, value in optional.items() if value}
    return {
        "timestamp": row["timestamp"],
        "stage": row["stage"],
        "code": row["code"],
        "message": row["message"],
        **said,
    }
