"""Usage by route, provider, caller and connector, and how well recall served sessions."""

import re
from collections.abc import Iterable, Mapping

from signet.db import ReadTx, WriteTx
from signet.domain.activity import sql
from signet.observe.record import OTHER, Count
from signet.wire.analytics import Continuity, ProjectScore, ScoreSummary, SessionScore

#: A metric's samples: labels and value.
Samples = Iterable[tuple[Mapping[str, str], float]]

_ID = re.compile(r"\{(?:\w+_)?id\}")
_NAME = re.compile(r"\{(\w+)\}")
#: From this status on an answer counts as an error.
ERROR_STATUS = 400


def template(route: str) -> str:
    """Return a route as it is documented: `/api/memory/:id`."""
    return _NAME.sub(r":\1", _ID.sub(":id", route))


def endpoints(requests: Samples, seconds: Samples) -> dict[str, dict[str, float]]:
    """Return count, errors and total latency (ms) of each route, from the counters of requests."""
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
    """Return calls, failures (a timeout is one) and total latency (ms) of each provider."""
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
    """Add what was counted of callers and connectors, by kind of count and name."""
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
    """Return the counts of each caller since the daemon started, 0 where nothing was counted."""
    return _by_name(tx, "actor", ACTOR_COUNTS)


def of_connectors(tx: ReadTx) -> dict[str, dict[str, int]]:
    """Return the counts of each connector since the daemon started, 0 where nothing was counted."""
    return _by_name(tx, "connector", CONNECTOR_COUNTS)


def add_lasting(tx: WriteTx, process: str, name: str) -> None:
    """Add one to a counter of a process that restarts of the daemon keep."""
    tx.run(sql.ADD_COUNT, (process, "", name, "", 1))


def lasting(tx: ReadTx, process: str, name: str) -> int:
    """Return a counter of a process that restarts of the daemon keep."""
    return int(tx.value(sql.LASTING_COUNT, (process, name)) or 0)


def _by_name(tx: ReadTx, process: str, counts: tuple[Count, ...]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in tx.rows(sql.Counter, sql.COUNTERS, (process, sql.LIFE)):
        found.setdefault(row.key, dict.fromkeys(counts, 0))[Count(row.name)] = int(row.value)
    return dict(sorted(found.items()))


def report(tx: ReadTx, *, project: str | None, hidden: str, limit: int) -> Continuity:
    """Return the scores of sessions, newest first, with their count, average, trend (newest − oldest) and newest.

    `hidden` is a GLOB pattern of owners to leave out.
    """
    asked = {"project": project, "hidden": hidden, "limit": limit}
    found = tx.records(SessionScore, sql.SCORES, asked)
    return {"scores": found, "summary": _summary([one["score"] for one in found])}


def latest(tx: ReadTx, *, hidden: str) -> list[ProjectScore]:
    """Return the newest score of each project, newest first."""
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
