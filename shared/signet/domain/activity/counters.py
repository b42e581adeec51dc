"""Counts by the name of a caller or a connector, and counts that outlast restarts of the daemon."""

from collections.abc import Mapping

from signet.db import ReadTx, WriteTx
from signet.domain.activity import sql
from signet.observe.record import OTHER, Count

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
