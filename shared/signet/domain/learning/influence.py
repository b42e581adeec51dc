"""The influence of what was learned: kept by agent, read by recall and at a session's start, moved by comparisons.

`alpha` is the share of the order without it: 1 while it is only watched, 0 while it takes part. Where it stands is
worked out from the comparisons of the sessions each time, so that a job that runs twice changes nothing (PR-31).
"""

import json
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.domain.learning import sql, standing, worth
from signet.domain.learning.compare import LEAST_MARGIN, Comparison
from signet.domain.learning.sql import StateRow
from signet.domain.learning.standing import Standing
from signet.observe import logs, metrics, record
from signet.observe.taxonomy import Code

log = logs.get("predictor")

#: Sessions that are looked at: evidence of so many is beyond doubt.
MOST_SESSIONS = 500
#: What an operator reads where it stops.
_STOPPED = "what was learned no longer takes part in ranking ({reason}): the order without it holds"
#: What is stored of an agent of which nothing is.
UNKNOWN = StateRow(1.0, 0.5, 0, None, None)


def is_on(tx: ReadTx, agent_id: str) -> bool:
    """Return whether what was learned counts for an agent."""
    alpha = tx.value(sql.ALPHA, (agent_id,))
    return alpha is not None and alpha < 1


def state(tx: ReadTx, agent_id: str) -> StateRow:
    """Return what is stored of an agent."""
    return tx.row(StateRow, sql.STATE, (agent_id,)) or UNKNOWN


def standing_of(tx: ReadTx, agent_id: str, *, window: int) -> Standing:
    """Return where it stands, by the sessions since it was last begun anew."""
    since = state(tx, agent_id).judged_since
    return standing.of(tx.column(sql.MARGINS, (agent_id, since, MOST_SESSIONS)), window=window)


def judge(
    tx: WriteTx,
    agent_id: str,
    key: str,
    found: Comparison | None,
    *,
    project: str | None,
    at: str,
    window: int,
    now: datetime,
) -> None:
    """Keep how a session went, and let what was learned take part or stop by it; None takes an earlier word back."""
    if found is None:
        gone = tx.run(sql.DELETE_COMPARISON, (agent_id, key))
        if not gone:
            return
    else:
        tx.run(sql.PUT_COMPARISON, _row(tx, agent_id, key, found, project, at))
    before = state(tx, agent_id)
    after = standing_of(tx, agent_id, window=window)
    was_on = bool(before.cold_start_exited)
    stopped = was_on and not after.is_on
    _put(tx, agent_id, before, after, rolled_back=now if stopped else None, now=now)
    if was_on != after.is_on:
        _tell(tx, agent_id, after, "drift" if stopped else "proven", now, session=key)


def rollback(tx: WriteTx, agent_id: str, *, now: datetime) -> None:
    """Let the order without what was learned hold again, whatever it has proven; it is watched anew from here on."""
    before = state(tx, agent_id)._replace(judged_since=clock.to_text(now))
    _put(tx, agent_id, before, Standing(), rolled_back=now, now=now)
    _tell(tx, agent_id, Standing(), "rollback", now)


def _put(
    tx: WriteTx,
    agent_id: str,
    before: StateRow,
    after: Standing,
    *,
    rolled_back: datetime | None,
    now: datetime,
) -> None:
    tx.run(
        sql.PUT_STATE,
        {
            "agent": agent_id,
            "alpha": 0.0 if after.is_on else 1.0,
            "rate": after.rate,
            "sessions": after.wins + after.losses + after.ties,
            "is_on": after.is_on,
            "at": clock.to_text(now),
            "since": before.judged_since,
            "rollback": clock.to_text(rolled_back) if rolled_back else None,
        },
    )


def _tell(
    tx: WriteTx,
    agent_id: str,
    after: Standing,
    reason: str,
    now: datetime,
    session: str | None = None,
) -> None:
    """Keep that what was learned takes part from now on, or no longer (PR-31)."""
    change = "on" if after.is_on else "off"
    counted = after.wins + after.losses + after.ties
    kept = "proven" if after.is_on else "rollback"
    row = (ids.new_ordered_id(), agent_id, worth.VERSION, counted, after.is_on, kept)
    tx.run(sql.PUT_TRAINING, (*row, clock.to_text(now)))
    metrics.labelled(metrics.PREDICTOR_CHANGES, change).inc()
    if not after.is_on:
        record.error(Code.PREDICTOR_TRAIN_FAILURE, _STOPPED.format(reason=reason))
    log.info(
        f"predictor.{change}",
        agent=agent_id,
        session=session,
        reason=reason,
        wins=after.wins,
        losses=after.losses,
    )


def _row(
    tx: ReadTx, agent_id: str, key: str, found: Comparison, project: str | None, at: str
) -> tuple[object, ...]:
    won = found.margin > LEAST_MARGIN
    return (
        ids.new_ordered_id(),
        agent_id,
        key,
        found.learned,
        found.base,
        won,
        found.margin,
        state(tx, agent_id).alpha,
        abs(found.margin) > LEAST_MARGIN,
        project,
        found.candidates,
        json.dumps(found.learned_top),
        json.dumps(found.base_top),
        json.dumps(found.relevance),
        at,
        state(tx, agent_id).success_rate,
    )
