"""Write what a process has recorded, in the caller's transaction; tables of one life of the daemon are bounded."""

import json

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.activity import counters, sql
from signet.observe import logs
from signet.observe.record import MAX_ERRORS, MAX_OUTCOMES, Batch

log = logs.get("system")


def batch(tx: WriteTx, recorded: Batch, *, keeps_events: bool) -> None:
    """Write all of it; telemetry events only with `keeps_events`."""
    if recorded.counts:
        counters.add(tx, recorded.counts)
    if recorded.errors:
        sql.add_errors(
            tx,
            [
                sql.Error(
                    timestamp=clock.to_text(one.at),
                    stage=one.code.stage,
                    code=one.code,
                    message=one.message,
                    request_id=one.request_id,
                    memory_id=one.memory_id,
                    actor=one.actor,
                )
                for one in recorded.errors
            ],
            most=MAX_ERRORS,
        )
    if recorded.outcomes:
        outcomes = [
            (one.provider, one.kind, one.outcome, one.error, clock.to_text(one.at))
            for one in recorded.outcomes
        ]
        sql.add_outcomes(tx, outcomes, most=MAX_OUTCOMES)
    if keeps_events:
        _events(tx, recorded)


def reset(tx: WriteTx) -> None:
    """Delete errors, outcomes and counters of earlier lives of the daemon; telemetry events stay."""
    sql.reset(tx)


def _events(tx: WriteTx, recorded: Batch) -> None:
    if recorded.dropped:
        log.warning("telemetry.dropped", events=recorded.dropped)
    events = [
        sql.Event(
            id=ids.new_ordered_id(),
            event=one.event,
            timestamp=clock.to_text(one.at),
            properties=json.dumps(dict(one.properties)),
        )
        for one in recorded.events
    ]
    sql.add_events(tx, events)
