"""Write what a process has noted, in the transaction of whoever calls; bounded tables, oldest rows first out.

Counters, errors and outcomes are of one life of the daemon: `clear` empties them when it starts.
"""

import json

from signet import clock, ids
from signet.db import WriteTx
from signet.observe import logs
from signet.observe.record import MAX_ERRORS, MAX_OUTCOMES, OTHER, Count, Seen

log = logs.get("system")

#: Rows of `runtime_counters` that a daemon start empties carry this; others are kept by other nouns.
LIFE = "daemon"
#: Callers that are counted by name (AN-5); further ones are counted together.
MAX_ACTORS = 1_000
ACTOR_COUNTS = frozenset({Count.REQUESTS, Count.REMEMBERS, Count.RECALLS, Count.MUTATIONS})

_COUNT = """
INSERT INTO runtime_counters (process, boot_id, name, key, value) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (process, boot_id, name, key) DO UPDATE SET value = value + excluded.value"""
_ACTORS = "SELECT DISTINCT key FROM runtime_counters WHERE process = 'actor' AND boot_id = ?"
_ERROR = """
INSERT INTO error_events (timestamp, stage, code, message, request_id, memory_id, actor)
VALUES (?, ?, ?, ?, ?, ?, ?)"""
_OUTCOME = (
    "INSERT INTO provider_outcomes (provider, kind, outcome, error, at) VALUES (?, ?, ?, ?, ?)"
)
_TRIM = "DELETE FROM {table} WHERE seq <= (SELECT MAX(seq) FROM {table}) - ?"
_EVENT = "INSERT INTO telemetry_events (id, event, timestamp, properties, created_at) VALUES (?, ?, ?, ?, ?)"
_CLEAR = (
    "DELETE FROM error_events",
    "DELETE FROM provider_outcomes",
    f"DELETE FROM runtime_counters WHERE boot_id = '{LIFE}'",
)


def keep(tx: WriteTx, seen: Seen, *, keeps_events: bool) -> None:
    """Write all of it; events only when they are wanted."""
    if seen.counts:
        _count(tx, seen)
    if seen.errors:
        rows = ((e.at, e.code, e.message, e.request_id, e.memory_id, e.actor) for e in seen.errors)
        tx.many(_ERROR, [(clock.to_text(at), code.stage, code, *rest) for at, code, *rest in rows])
        tx.run(_TRIM.format(table="error_events"), (MAX_ERRORS,))
    if seen.outcomes:
        tx.many(
            _OUTCOME,
            [(o.provider, o.kind, o.outcome, o.error, clock.to_text(o.at)) for o in seen.outcomes],
        )
        tx.run(_TRIM.format(table="provider_outcomes"), (MAX_OUTCOMES,))
    if keeps_events:
        if seen.dropped:
            log.warning("telemetry.dropped", events=seen.dropped)
        tx.many(
            _EVENT,
            [
                (ids.new_ordered_id(), e.event, at, json.dumps(dict(e.properties)), at)
                for e in seen.events
                for at in (clock.to_text(e.at),)
            ],
        )


def clear(tx: WriteTx) -> None:
    """Forget what an earlier life of the daemon has left."""
    for statement in _CLEAR:
        tx.run(statement)


def _count(tx: WriteTx, seen: Seen) -> None:
    known = {row[0] for row in tx.all(_ACTORS, (LIFE,))}
    rows = []
    for (what, name), value in seen.counts.items():
        if what not in ACTOR_COUNTS:
            rows.append(("connector", LIFE, what, name, value))
            continue
        if name not in known:
            name = name if len(known) < MAX_ACTORS else OTHER
            known.add(name)
        rows.append(("actor", LIFE, what, name, value))
    tx.many(_COUNT, rows)
