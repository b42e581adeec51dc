"""Counters and time series of requests, providers, actors and connectors."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signet import clock
from signet.db import ReadTx, WriteTx, barrier, columns
from signet.domain.activity import sql
from signet.errors import Invalid
from signet.observe.logread import Entry, strings
from signet.observe.record import OTHER, Count
from signet.wire.analytics import (
    ProjectScore,
    ScoreSummary,
    Series,
    SessionScore,
    SessionScores,
    Timeline,
    TimelineEvent,
)

#: What can be counted, and the steps with how many of each are answered at most.
P95 = "recall_p95"
METRICS = (*sql.SERIES, P95)
MOST = {"10min": 6 * 24 * 3, "hour": 24 * 31, "day": 366}
USUAL = {"10min": 6 * 24, "hour": 24, "day": 30}
#: Characters of an instant that name ten minutes: 2026-05-01T13:2.
_BUCKET_CHARS = 15


def zone(name: str | None) -> tzinfo:
    """Return a time zone, the machine's for None; raises Invalid for an unknown name."""
    if not name:
        return clock.LOCAL
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(f"tz: no time zone {name[:60]!r}") from error


def starts(step: str, count: int, tz: tzinfo, now: datetime) -> list[datetime]:
    """Return the starts of the last minutes, hours or days, oldest first, the running one last. Pure."""
    if step == "10min":
        last = now.astimezone(UTC).replace(minute=now.minute // 10 * 10, second=0, microsecond=0)
        return [last - timedelta(minutes=10 * back) for back in range(count - 1, -1, -1)]
    local = now.astimezone(tz)
    if step == "hour":
        last = local.replace(minute=0, second=0, microsecond=0).astimezone(UTC)
        return [last - timedelta(hours=back) for back in range(count - 1, -1, -1)]
    days = (local.date() - timedelta(days=back) for back in range(count - 1, -1, -1))
    return [datetime(day.year, day.month, day.day, tzinfo=tz).astimezone(UTC) for day in days]


def series_of(
    tx: ReadTx, metrics: Sequence[str], *, step: str, count: int, tz: tzinfo, now: datetime
) -> Series:
    """Return each metric per step; raises Invalid for an unknown metric."""
    for name in metrics:
        if name not in METRICS:
            raise Invalid(f"metrics: no metric {name!r}; there are {', '.join(METRICS)}")
    begins = starts(step, count, tz, now)
    bounds = [clock.to_text(one)[:_BUCKET_CHARS] for one in begins]
    return {
        "step": step,
        "tz": tz.key if isinstance(tz, ZoneInfo) else "",
        "starts": [clock.to_text(one) for one in begins],
        "series": {
            name: _slowest(tx, bounds)
            if name == P95
            else _counted_series(tx, sql.SERIES[name], bounds)
            for name in metrics
        },
    }


def _slowest(tx: ReadTx, bounds: Sequence[str]) -> list[int]:
    """Return the 95th percentile of each step's recall times in milliseconds, 0 without any."""
    times: list[list[float]] = [[] for _ in bounds]
    for bucket, took in tx.tuples(sql.RECALL_TIMES, {"since": bounds[0]}):
        times[bisect_right(bounds, bucket) - 1].append(took or 0.0)
    return [round(sorted(one)[math.ceil(len(one) * 0.95) - 1]) if one else 0 for one in times]


def _counted_series(tx: ReadTx, statement: str, bounds: Sequence[str]) -> list[int]:
    found = [0] * len(bounds)
    for bucket, number in tx.tuples(statement, {"since": bounds[0]}):
        found[bisect_right(bounds, bucket) - 1] += int(number or 0)
    return found


#: A metric's samples: labels and value.
Samples = Iterable[tuple[Mapping[str, str], float]]

_ID = re.compile(r"\{(?:\w+_)?id\}")
_NAME = re.compile(r"\{(\w+)\}")
#: From this status on an answer counts as an error.
ERROR_STATUS = 400


def template(route: str) -> str:
    """Return a route in its documented form: `/api/memory/:id`."""
    return _NAME.sub(r":\1", _ID.sub(":id", route))


def endpoints(requests: Samples, seconds: Samples) -> dict[str, dict[str, float]]:
    """Return count, errors and total latency (ms) of each route."""
    found: dict[str, dict[str, float]] = {}
    for labels, value in requests:
        mine = found.setdefault(_key(labels), {"count": 0, "errors": 0, "totalLatencyMs": 0})
        mine["count"] += int(value)
        mine["errors"] += int(value) if int(labels["status"]) >= ERROR_STATUS else 0
    for labels, value in seconds:
        if _key(labels) in found:
            found[_key(labels)]["totalLatencyMs"] += round(value * 1000, 3)
    return dict(sorted(found.items()))


def providers(calls: Samples, seconds: Samples) -> dict[str, dict[str, float]]:
    """Return calls, failures (including timeouts) and total latency (ms) of each provider."""
    found: dict[str, dict[str, float]] = {}
    for labels, value in calls:
        mine = found.setdefault(
            labels["provider"], {"calls": 0, "failures": 0, "totalLatencyMs": 0}
        )
        mine["calls"] += int(value)
        mine["failures"] += 0 if labels["outcome"] == "success" else int(value)
    for labels, value in seconds:
        if labels["provider"] in found:
            found[labels["provider"]]["totalLatencyMs"] += round(value * 1000, 3)
    return dict(sorted(found.items()))


def _key(labels: Mapping[str, str]) -> str:
    return f"{labels['method']} {template(labels['route'])}"


#: Callers that are counted by name (AN-5); further ones are counted together.
MAX_ACTORS = 1_000
ACTOR_COUNTS = (Count.REQUESTS, Count.REMEMBERS, Count.RECALLS, Count.MUTATIONS)
CONNECTOR_COUNTS = (Count.SYNCS, Count.SYNC_ERRORS, Count.DOCUMENTS)


def add(tx: WriteTx, counts: Mapping[tuple[Count, str], int]) -> None:
    known = {name for (name,) in tx.tuples(sql.COUNTED_NAMES, ("actor", sql.LIFE))}
    rows = []
    for (what, name), value in counts.items():
        if what not in ACTOR_COUNTS:
            rows.append(("connector", sql.LIFE, what, name, value))
            continue
        if name not in known:
            name = name if len(known) < MAX_ACTORS else OTHER
            known.add(name)
        rows.append(("actor", sql.LIFE, what, name, value))
    tx.many(sql.ADD_COUNT, rows)


def of_actors(tx: ReadTx) -> dict[str, dict[str, int]]:
    return _by_name(tx, "actor", ACTOR_COUNTS)


def of_connectors(tx: ReadTx) -> dict[str, dict[str, int]]:
    return _by_name(tx, "connector", CONNECTOR_COUNTS)


def add_lasting(tx: WriteTx, process: str, name: str) -> None:
    """Increment a counter that survives restarts of the daemon."""
    tx.run(sql.ADD_COUNT, (process, "", name, "", 1))


def lasting(tx: ReadTx, process: str, name: str) -> int:
    return int(tx.value(sql.LASTING_COUNT, (process, name)) or 0)


def _by_name(tx: ReadTx, process: str, counts: tuple[Count, ...]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in tx.rows(sql.Counter, sql.COUNTERS, (process, sql.LIFE)):
        found.setdefault(row.key, dict.fromkeys(counts, 0))[Count(row.name)] = int(row.value)
    return dict(sorted(found.items()))


def report(tx: ReadTx, *, project: str | None, hidden: str, limit: int) -> SessionScores:
    """Return the scores of sessions, newest first, with their count, average, trend (newest − oldest) and newest.

    `hidden` is a GLOB pattern of excluded owners.
    """
    asked = {"project": project, "hidden": hidden, "limit": limit}
    found = tx.records(SessionScore, sql.SCORES, asked)
    return {"scores": found, "summary": _summary([one["score"] for one in found])}


def latest(tx: ReadTx, *, hidden: str) -> list[ProjectScore]:
    return tx.records(ProjectScore, sql.LATEST_SCORES, (hidden,))


def _summary(scores: list[float]) -> ScoreSummary:
    if not scores:
        return {"count": 0, "average": 0, "trend": 0, "latest": None}
    return {
        "count": len(scores),
        "average": round(sum(scores) / len(scores), 2),
        "trend": round(scores[0] - scores[-1], 2),
        "latest": scores[0],
    }


#: Every line would contain a shorter id (TM-3).
MIN_CHARS = 4
#: Lines of the log that are searched, newest first.
LOG_LINES = 500
DEFAULT_LIMIT, MAX_LIMIT = 1_000, 10_000


class EventSource(StrEnum):
    """The source of an event; events of one instant are sorted in this order (TM-1)."""

    HISTORY = "history"
    JOB = "job"
    LOG = "log"
    ERROR = "error"
    PREDICTOR = "predictor"


#: Names of fields with a memory's text in the metadata of a change.
_TEXTS = re.compile(r"(?i)(content|statement|text|query)$")
_ORDER = {source: place for place, source in enumerate(EventSource)}


class EntityType(StrEnum):
    MEMORY = "memory"
    REQUEST = "request"
    SESSION = "session"
    UNKNOWN = "unknown"


def timeline_of(
    tx: ReadTx, entity_id: str, lines: Sequence[Entry], *, hidden: str, limit: int, now: datetime
) -> Timeline:
    """Return the newest events of an ID, oldest first; raises Invalid for a short ID.

    An unknown ID, and one of owners that match the GLOB pattern `hidden`, has no events.
    """
    if len(entity_id) < MIN_CHARS:
        raise Invalid(f"id must have at least {MIN_CHARS} characters")
    found = tx.tuples(sql.MEMORY_OF_JOB, (entity_id,))
    is_job, memory_id = bool(found), found[0][0] if found else None
    [known] = tx.rows(sql.KnownAs, sql.KNOWN_AS, {"id": entity_id})
    with barrier.lifted(tx.connection):
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
    # Metadata never replaces values of the columns (TM-2).
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
    """Return the metadata of a change without the memory's text."""
    return {
        name: _without_texts(value) if isinstance(value, dict) else value
        for name, value in found.items()
        if not _TEXTS.search(name)
    }
