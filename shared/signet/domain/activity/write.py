"""Write what a process has recorded, in the caller's transaction; tables of one life of the daemon are bounded."""

import json

from signet import ids
from signet.db import WriteTx
from signet.domain.activity import sql, usage
from signet.observe import logs
from signet.observe.record import MAX_ERRORS, MAX_OUTCOMES, Batch

log = logs.get("system")


def batch(tx: WriteTx, recorded: Batch, *, keeps_events: bool) -> None:
    """Write all of it; telemetry events only with `keeps_events`."""
    if recorded.counts:
        usage.add(tx, recorded.counts)
    if recorded.errors:
        tx.many(sql.ADD_ERROR, recorded.errors)
        tx.run(sql.TRIM.format(table="error_events"), (MAX_ERRORS,))
    if recorded.outcomes:
        tx.many(sql.ADD_OUTCOME, recorded.outcomes)
        tx.run(sql.TRIM.format(table="provider_outcomes"), (MAX_OUTCOMES,))
    if keeps_events:
        if recorded.dropped:
            log.warning("telemetry.dropped", events=recorded.dropped)
        tx.many(
            sql.ADD_EVENT,
            [
                (ids.new_ordered_id(), event, at, json.dumps(dict(properties)), at)
                for event, at, properties in recorded.events
            ],
        )


def reset(tx: WriteTx) -> None:
    """Delete errors, outcomes and counters of earlier lives of the daemon; telemetry events stay."""
    for statement in sql.RESET:
        tx.run(statement)
