"""The influence of learned ranking: stored per agent, read by recall and session starts, changed by comparisons.

`alpha` is the weight of the original order: 1 while learning is only observed, 0 while it is active. The state is
recomputed from the sessions' comparisons each time, so a job that runs twice changes nothing (PR-31).
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.domain.learning import sql, worth
from signet.domain.learning.compare import LEAST_MARGIN, Comparison
from signet.domain.learning.sql import StateRow
from signet.observe import logs, metrics, record
from signet.observe.taxonomy import Code

#: Evidence from which learning counts as proven.
ENOUGH = 20.0
#: Minimum share of wins among the last counted sessions (PR-30).
LEAST_RATE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Wins, losses and ties since the last reset, and the number of resets.

    `recent` has the result of each of the last sessions that counted.
    """

    is_on: bool = False
    wins: int = 0
    losses: int = 0
    ties: int = 0
    stops: int = 0
    recent: tuple[bool, ...] = ()

    @property
    def rate(self) -> float:
        """Return the share of wins, ½ without results."""
        counted = self.wins + self.losses
        return self.wins / counted if counted else 0.5

    @property
    def evidence(self) -> float:
        """Return the evidence that it wins more often than it loses."""
        return evidence(self.wins, self.losses)


def of(margins: Sequence[float], *, window: int) -> Standing:
    """Return the state after sessions with these margins, oldest first; the last `window` decide about drift."""
    standing = Standing()
    for margin in margins:
        standing = _after(standing, margin, window)
    return standing


def evidence(wins: int, losses: int) -> float:
    """Return the value of a bet of 1 on more wins than losses, with a uniform prior on rates above ½."""
    # 2^n · 2 · ∫ p^wins (1−p)^losses over ½..1, as a sum of binomials.
    n = wins + losses
    below = math.fsum(math.comb(n + 1, k) for k in range(wins + 1)) / 2 ** (n + 1)
    whole = 1 / ((n + 1) * math.comb(n, wins))
    return math.ldexp(whole * below, n + 1)


def _after(before: Standing, margin: float, window: int) -> Standing:
    if abs(margin) <= LEAST_MARGIN:
        return replace(before, ties=before.ties + 1)
    won = margin > 0
    after = replace(
        before,
        wins=before.wins + won,
        losses=before.losses + (not won),
        recent=(*before.recent, won)[-window:],
    )
    if after.is_on and _drifts(after, window):
        return Standing(stops=before.stops + 1)
    return replace(after, is_on=after.is_on or after.evidence >= ENOUGH)


def _drifts(one: Standing, window: int) -> bool:
    has_lost = evidence(one.losses, one.wins) >= ENOUGH
    return has_lost or (len(one.recent) == window and sum(one.recent) < LEAST_RATE * window)


log = logs.get("predictor")

#: Maximum sessions to read: evidence from this many is conclusive.
MOST_SESSIONS = 500
#: The text for an operator when learning stops.
_STOPPED = "what was learned no longer takes part in ranking ({reason}): the order without it holds"
#: The state of an agent without a row.
UNKNOWN = StateRow(1.0, 0.5, 0, None, None)


def is_on(tx: ReadTx, agent_id: str) -> bool:
    """Return whether learned ranking is active for an agent."""
    alpha = tx.value(sql.ALPHA, (agent_id,))
    return alpha is not None and alpha < 1


def state(tx: ReadTx, agent_id: str) -> StateRow:
    """Return an agent's stored state."""
    return tx.row(StateRow, sql.STATE, (agent_id,)) or UNKNOWN


def standing_of(tx: ReadTx, agent_id: str, *, window: int) -> Standing:
    """Return an agent's standing from its sessions since the last reset."""
    since = state(tx, agent_id).judged_since
    return of(tx.column(sql.MARGINS, (agent_id, since, MOST_SESSIONS)), window=window)


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
    """Store a session's comparison, and activate or stop learned ranking by it; None deletes an earlier one."""
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
        _record_change(tx, agent_id, after, "drift" if stopped else "proven", now, session=key)


def rollback(tx: WriteTx, agent_id: str, *, now: datetime) -> None:
    """Restore the original order regardless of evidence; observation restarts from zero."""
    before = state(tx, agent_id)._replace(judged_since=clock.to_text(now))
    _put(tx, agent_id, before, Standing(), rolled_back=now, now=now)
    _record_change(tx, agent_id, Standing(), "rollback", now)


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


def _record_change(
    tx: WriteTx,
    agent_id: str,
    after: Standing,
    reason: str,
    now: datetime,
    session: str | None = None,
) -> None:
    """Record that learned ranking was activated or stopped (PR-31)."""
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
