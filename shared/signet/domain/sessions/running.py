"""The running sessions, for display and control."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.auth import caller
from signet.domain.auth.tokens import TokenScope
from signet.domain.sessions import calls
from signet.domain.sessions.models import SessionState
from signet.domain.sessions.sql import states
from signet.domain.transcripts import readings
from signet.errors import NotFound
from signet.wire.sessions import RunningSession

#: Most sessions returned.
MOST = 500


class UnknownSession(NotFound):
    """Session not found."""


def find(
    tx: ReadTx, *, agent_id: str | None, project: str | None, now: datetime
) -> list[RunningSession]:
    """Return the running sessions, newest first."""
    asked = {
        "now": clock.to_text(now),
        "agent": agent_id,
        "hidden": caller.current().hidden,
        "project": project,
        "limit": MOST,
    }
    return [_shown(states.state(row)) for row in tx.rows(states.StateRow, states.LIVE, asked)]


def counts(tx: ReadTx, *, now: datetime) -> tuple[int, int]:
    """Return the numbers of running sessions and of bypassed ones among them."""
    [(count, bypassed)] = tx.tuples(states.COUNT, (clock.to_text(now),))
    return count, bypassed


def bypass(tx: WriteTx, key: str, scope: TokenScope, *, is_on: bool, now: datetime) -> None:
    """Switch the bypass of a session's hooks on or off; raises UnknownSession.

    The log of a bypassed session is not read later either.
    """
    for state in _of_key(tx, key, scope, now):
        live = calls.renewed(state, None, now=now)
        if is_on:
            readings.note_unkept(tx, state.agent_id, key, now=now)
        else:
            readings.lift_unkept(tx, state.agent_id, key)
        states.put(tx, replace(live, is_bypassed=is_on), now=now)


def renew(tx: WriteTx, key: str, scope: TokenScope, *, now: datetime) -> datetime:
    """Renew the claim of a session and return its new end; raises UnknownSession."""
    for state in _of_key(tx, key, scope, now):
        live = calls.renewed(state, state.runtime_path, now=now)
        states.put(tx, replace(live, is_warned=False), now=now)
    return now + calls.CLAIM_LIFE


def _of_key(tx: ReadTx, key: str, scope: TokenScope, now: datetime) -> Sequence[SessionState]:
    """Return the running sessions of this key in a scope; raises UnknownSession."""
    hidden = caller.current().hidden
    asked = {"key": key, "agent": scope.agent, "hidden": hidden, "project": scope.project}
    rows = tx.rows(states.StateRow, states.BY_KEY, asked)
    found = [states.state(row) for row in rows]
    running = [one for one in found if one.is_live(now)]
    if not running:
        raise UnknownSession
    return running


def _shown(one: SessionState) -> RunningSession:
    """Return a session for a client. Without a claim, it shows the session's start instead."""
    if one.claimed_at is not None:
        since = clock.to_text(one.claimed_at)
    elif one.continuity is not None:
        since = one.continuity.started_at
    else:
        since = clock.to_text(one.expires_at - calls.CLAIM_LIFE)  # the last call
    return {
        "key": one.key,
        "runtimePath": one.runtime_path or "unknown",
        "claimedAt": since,
        "expiresAt": clock.to_text(one.expires_at) if one.runtime_path is not None else None,
        "agentId": one.agent_id,
        "bypassed": one.is_bypassed,
        "harness": one.harness,
        "project": one.project,
    }
