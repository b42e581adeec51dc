"""Everything that happened to a memory, a job, a request or a session, in the order of time.

Rows tell most of it (history, jobs, errors, comparisons of the predictor); lines of the log are handed in by the
caller, who reads files outside of the snapshot. Details name what was changed and never say the text.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, Row
from signet.domain.timeline import store
from signet.errors import Invalid
from signet.observe.logread import Entry, strings

#: A shorter id would be found in every line (TM-3).
MIN_CHARS = 4
#: Lines of the log that are looked through, newest first.
LOG_LINES = 500
DEFAULT_LIMIT, MAX_LIMIT = 1_000, 10_000


class Source(StrEnum):
    """Who tells; events of one instant stand in this order (TM-1)."""

    HISTORY = "history"
    JOB = "job"
    LOG = "log"
    ERROR = "error"
    PREDICTOR = "predictor"


#: Names in the metadata of a change under which the words of a memory stand.
_TEXTS = re.compile(r"(?i)(content|statement|text|query)$")
_ORDER = {source: place for place, source in enumerate(Source)}


class EntityType(StrEnum):
    """What an id is the id of."""

    MEMORY = "memory"
    REQUEST = "request"
    SESSION = "session"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened."""

    at: str
    source: Source
    event: str
    details: Mapping[str, object]

    def as_dict(self) -> dict[str, object]:
        """Return the event as it is answered."""
        return {
            "timestamp": self.at,
            "source": self.source,
            "event": self.event,
            "details": dict(self.details),
        }


def of(
    tx: ReadTx, entity_id: str, lines: Sequence[Entry], *, limit: int, now: datetime
) -> dict[str, object]:
    """Return the newest events of an id, oldest first; an unknown id has none. Raises Invalid for a short one."""
    if len(entity_id) < MIN_CHARS:
        raise Invalid(f"id must have at least {MIN_CHARS} characters")
    is_job, memory_id = store.memory_of_job(tx, entity_id)
    kind = _kind(store.kinds(tx, entity_id), is_job=is_job)
    events = sorted(
        _events(tx, entity_id, kind, lines, memory_id if is_job else None, limit),
        key=lambda one: (one.at, _ORDER[one.source]),
    )
    return {
        "entityType": kind,
        "entityId": entity_id,
        "events": [event.as_dict() for event in events[-limit:]],
        "generatedAt": clock.to_text(now),
    }


def exported(timeline: Mapping[str, object], *, version: str, now: datetime) -> dict[str, object]:
    """Return a timeline in the envelope of an export."""
    meta = {
        "version": version,
        "exportedAt": clock.to_text(now),
        "entityId": timeline["entityId"],
    }
    return {"meta": meta, "timeline": timeline}


def _kind(found: Row, *, is_job: bool) -> EntityType:
    if found["memory"] or is_job:
        return EntityType.MEMORY
    if found["request"]:
        return EntityType.REQUEST
    return EntityType.SESSION if found["session"] else EntityType.UNKNOWN


def _events(
    tx: ReadTx,
    entity_id: str,
    kind: EntityType,
    lines: Sequence[Entry],
    memory_of_job: str | None,
    limit: int,
) -> Iterator[Event]:
    if kind is EntityType.UNKNOWN:
        return
    memory_id = memory_of_job or entity_id
    column, value = {
        EntityType.REQUEST: ("request_id", entity_id),
        EntityType.SESSION: ("session_id", entity_id),
    }.get(kind, ("memory_id", memory_id))
    yield from map(_changed, store.history(tx, column, value, limit))
    jobs = {row["id"]: row for row in store.jobs(tx, "memory_id", memory_id, limit)}
    jobs |= {row["id"]: row for row in store.jobs(tx, "id", entity_id, limit)}
    for job in jobs.values():
        yield from _worked(job)
    for line in lines:
        if _names(line, entity_id):
            yield _logged(line)
    yield from map(_failed, store.errors(tx, entity_id))
    yield from map(_compared, store.comparisons(tx, entity_id, limit))


def _changed(row: Row) -> Event:
    fixed = {
        "changedBy": row["changed_by"],
        "reason": row["reason"],
        "hasOldContent": bool(row["has_old"]),
        "hasNewContent": bool(row["has_new"]),
    }
    # What the metadata say never replaces what is known (TM-2).
    details = _metadata(row["metadata"]) | fixed
    return Event(at=row["created_at"], source=Source.HISTORY, event=row["event"], details=details)


def _worked(row: Row) -> Iterator[Event]:
    told: Mapping[str, Mapping[str, object]] = {
        "created": {"status": row["status"]},
        "leased": {"attempt": row["attempts"]},
        "completed": {"attempt": row["attempts"]},
        "failed": {"attempt": row["attempts"], "error": row["error"]},
    }
    for what, details in told.items():
        at = row[f"{what}_at"]
        if at is not None:
            yield Event(
                at=at,
                source=Source.JOB,
                event=f"job:{row['job_type']}:{what}",
                details={"jobId": row["id"], **details},
            )


def _names(line: Entry, entity_id: str) -> bool:
    said = (line.get("message"), line.get("data"), line.get("error"))
    return any(entity_id in text for part in said for text in strings(part))


def _logged(line: Entry) -> Event:
    return Event(
        at=str(line.get("timestamp")),
        source=Source.LOG,
        event=f"log:{line.get('level')}:{line.get('category')}",
        details={"message": line.get("message"), "data": line.get("data")},
    )


def _failed(row: Row) -> Event:
    return Event(
        at=row["timestamp"],
        source=Source.ERROR,
        event=f"error:{row['stage']}:{row['code']}",
        details={
            "message": row["message"],
            "memoryId": row["memory_id"],
            "requestId": row["request_id"],
        },
    )


def _compared(row: Row) -> Event:
    return Event(
        at=row["created_at"],
        source=Source.PREDICTOR,
        event=f"predictor:comparison:{'won' if row['predictor_won'] else 'lost'}",
        details={
            "ndcg": row["predictor_ndcg"],
            "baselineNdcg": row["baseline_ndcg"],
            "margin": row["margin"],
            "alpha": row["alpha"],
            "candidateCount": row["candidate_count"],
        },
    )


def _metadata(stored: str | None) -> dict[str, object]:
    try:
        found = json.loads(stored) if stored else {}
    except ValueError:
        return {}
    return _without_texts(found) if isinstance(found, dict) else {}


def _without_texts(found: Mapping[str, object]) -> dict[str, object]:
    """Return what is noted of a change without what a memory says."""
    return {
        name: _without_texts(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if not _TEXTS.search(name)
    }
