"""Who serves a session, and for how long. Pure."""

from dataclasses import replace
from datetime import datetime, timedelta

from signet.domain.sessions.models import State
from signet.errors import Conflict

#: How long a claim and a bypass last after the last call of their session (HK-10).
LIFE = timedelta(hours=4)
#: So long before its end a claim is warned of, once (HK-15).
WARN = timedelta(minutes=30)
#: Turns whose memories are remembered, so that a session is not given the same twice: more than a session has.
TURNS = 1_000


def check(state: State | None, path: str | None, *, now: datetime) -> None:
    """Raise Conflict when another path serves the session (HK-11, HK-12)."""
    claimed = state.runtime_path if state and state.is_live(now) else None
    if path and claimed and claimed != path:
        raise Conflict(f"session claimed by {claimed} path", "session_claimed", claimedBy=claimed)


def renewed(state: State, path: str | None, *, now: datetime) -> State:
    """Return the session after a call of this path; a claim and a bypass that have expired are gone (HK-14, HK-22)."""
    if not state.is_live(now):
        state = replace(
            state, runtime_path=None, claimed_at=None, is_bypassed=False, is_warned=False
        )
    if state.runtime_path is None or state.runtime_path == path:
        return replace(state, expires_at=now + LIFE)
    return state


def claimed(state: State, path: str | None, *, now: datetime) -> State:
    """Return the session as one that this path serves from now on, or goes on to serve."""
    state = renewed(state, path, now=now)
    if path is None or state.runtime_path is not None:
        return state
    return replace(state, runtime_path=path, claimed_at=now, is_warned=False)


def warning(state: State | None, *, now: datetime) -> str | None:
    """Return what to say when the claim had nearly ended before this call, once for each claim (HK-15)."""
    if state is None or state.runtime_path is None or state.is_warned or not state.is_live(now):
        return None
    left = state.expires_at - now
    if left >= WARN:
        return None
    return f"The claim of this session ends in {int(left.total_seconds() // 60)} minutes unless it is renewed"
