"""Everything that happened to a memory, a job, a request or a session, in the order of time.

Most of it is in rows (history, jobs, errors, comparisons of the predictor); the caller passes lines of the log, because
it reads files before it opens the snapshot. Details name what was changed and never contain the text of a memory.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, columns
from signet.domain.activity import sql
from signet.errors import Invalid
from signet.observe.logread import Entry, strings
from signet.wire.analytics import Timeline, TimelineEvent

#: Every line would contain a shorter id (TM-3).
MIN_CHARS = 4
#: Lines of the log that are searched, newest first.
LOG_LINES = 500
DEFAULT_LIMIT, MAX_LIMIT = 1_000, 10_000


class EventSource(StrEnum):
    """Where an event comes from; events of one instant are sorted in this order (TM-1)."""

    HISTORY = "history"
    JOB = "job"
    LOG = "log"
    ERROR = "error"
    PREDICTOR = "predictor"


#: Names in the metadata of a change that hold the text of a memory.
_TEXTS = re.compile(r"(?i)(content|statement|text|query)$")
_ORDER = {source: place for place, source in enumerate(EventSource)}


class EntityType(StrEnum):
    """What an id is the id of."""

    MEMORY = "memory"
    REQUEST = "request"
    SESSION = "session"
    UNKNOWN = "unknown"


def timeline_of(
    tx: ReadTx, entity_id: str, lines: Sequence[Entry], *, hidden: str, limit: int, now: datetime
) -> Timeline:
    """Return the newest events of an id, oldest first; raises Invalid for a short id.

    An unknown ID has no events, and neither has an ID of owners that `hidden` (a GLOB pattern) names.
    """
    if len(entity_id) < MIN_CHARS:
        raise Invalid(f"id must have at least {MIN_CHARS} characters")
    found = tx.tuples(sql.MEMORY_OF_JOB, (entity_id,))
    is_job, memory_id = bool(found), found[0][0] if found else None
    [known] = tx.rows(sql.KnownAs, sql.KNOWN_AS, {"id": entity_id})
    is_hidden = tx.value(sql.IS_HIDDEN, {"id": entity_id, "hidden": hidden}) is not None
    kind = EntityType.UNKNOWN if is_hidden else _kind(known, is_job=is_job)
    events = sorted(
        _events(tx, entity_id, kind, lines, memory_id, limit),
        key=lambda one: (one["timestamp"], _ORDER[EventSource(one["source"])]),
    )
    return {
        "entityType": kind,
        "entityId": entity_id,
        "events": events[-limit:],
        "generatedAt": clock.to_text(now),
    }


def _kind(known: sql.KnownAs, *, is_job: bool) -> EntityType:
    if known.memory or is_job:
        return EntityType.MEMORY
    if known.request:
        return EntityType.REQUEST
    return EntityType.SESSION if known.session else EntityType.UNKNOWN


def _events(
    tx: ReadTx,
    entity_id: str,
    kind: EntityType,
    lines: Sequence[Entry],
    memory_of_job: str | None,
    limit: int,
) -> Iterator[TimelineEvent]:
    if kind is EntityType.UNKNOWN:
        return
    memory_id = memory_of_job or entity_id
    column, value = {
        EntityType.REQUEST: ("request_id", entity_id),
        EntityType.SESSION: ("session_id", entity_id),
    }.get(kind, ("memory_id", memory_id))
    changes = tx.rows(sql.LoggedChange, sql.HISTORY.format(column=column), (value, limit))
    yield from map(_changed, changes)
    asked = {"memory": memory_id, "id": entity_id, "limit": limit}
    yield from tx.records(TimelineEvent, sql.JOBS, asked)
    for line in lines:
        if _mentions(line, entity_id):
            yield _logged(line)
    yield from tx.records(TimelineEvent, sql.ERRORS_ABOUT, {"id": entity_id})
    yield from tx.records(TimelineEvent, sql.COMPARISONS, (entity_id, limit))


def _changed(row: sql.LoggedChange) -> TimelineEvent:
    fixed = {
        "changedBy": row.changed_by,
        "reason": row.reason,
        "hasOldContent": bool(row.has_old),
        "hasNewContent": bool(row.has_new),
    }
    # Metadata never replaces what the columns say (TM-2).
    details = _without_texts(columns.json_object(row.metadata)) | fixed
    return _event(at=row.created_at, source=EventSource.HISTORY, event=row.event, details=details)


def _mentions(line: Entry, entity_id: str) -> bool:
    parts = (line.get("message"), line.get("data"), line.get("error"))
    return any(entity_id in text for part in parts for text in strings(part))


def _logged(line: Entry) -> TimelineEvent:
    return _event(
        at=str(line.get("timestamp")),
        source=EventSource.LOG,
        event=f"log:{line.get('level')}:{line.get('category')}",
        details={"message": line.get("message"), "data": line.get("data")},
    )


def _event(
    *, at: str, source: EventSource, event: str, details: Mapping[str, object]
) -> TimelineEvent:
    return {"timestamp": at, "source": source, "event": event, "details": dict(details)}


def _without_texts(found: Mapping[str, object]) -> dict[str, object]:
    """Return the metadata of a change without the text of a memory."""
    return {
        name: _without_texts(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if not _TEXTS.search(name)
    }
