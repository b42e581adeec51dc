"""What each call of a hook does to its session, in one transaction each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from signet import clock
from signet.config import Settings
from signet.db import WriteTx
from signet.domain.sessions import calls, checkpoints, models
from signet.domain.sessions.calls import SessionCall
from signet.domain.sessions.models import Continuity, SessionState, Trigger, with_turn
from signet.domain.sessions.sql import states
from signet.domain.transcripts import readings


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """How a session stands when it begins, before anything is told."""

    is_bypassed: bool = False
    #: It was given its context before.
    is_known: bool = False
    #: What its prompts were given that came before this.
    given: frozenset[str] = frozenset()
    warning: str | None = None


def begin(tx: WriteTx, call: SessionCall, *, now: datetime) -> Begun:
    """Claim the session; raises Conflict."""
    calls.note_harness(tx, call.harness, now=now)
    tx.run(states.DELETE_OLD, (clock.to_text(now - states.LIFE),))
    if call.key is None:
        return Begun()
    known = states.get(tx, call.agent_id, call.key)
    calls.check_claim(known, call.runtime_path, now=now)
    warning = calls.claim_warning(known, now=now)
    state = calls.claimed_by(known or _new(call, now), call.runtime_path, now=now)
    state = replace(
        state,
        harness=call.harness,
        project=call.project or state.project,
        is_warned=state.is_warned or warning is not None,
    )
    states.put(tx, state, now=now)
    return Begun(
        is_bypassed=state.bypasses(now),
        is_known=state.is_started,
        given=known.given if known and known.is_live(now) else frozenset(),
        warning=warning,
    )


def started(
    tx: WriteTx,
    call: SessionCall,
    fresh: Callable[[Continuity], Continuity],
    given: Sequence[str],
    settings: Settings,
    *,
    now: datetime,
) -> None:
    """Note that the session was given its context with the memories `given`.

    `fresh` adds to its continuity what that was about (HK-31).
    """
    if call.key is None:
        return
    state = states.get(tx, call.agent_id, call.key) or _new(call, now)
    if settings.pipeline.continuity.enabled:
        state = replace(state, continuity=fresh(state.continuity or models.new_continuity(now)))
    state = with_turn(replace(state, is_started=True), given, most=calls.MOST_TURNS)
    states.put(tx, state, now=now)


def prompted(
    tx: WriteTx,
    call: SessionCall,
    prompt: str,
    query: str,
    given: Sequence[str],
    settings: Settings,
    *,
    warned: bool,
    now: datetime,
) -> None:
    """Note a prompt and what it was given; write a checkpoint when one is due."""
    calls.note_harness(tx, call.harness, now=now)
    if call.key is None:
        return
    readings.asked(tx, call.agent_id, call.key, call.harness, now=now)
    state = _renewed(tx, call, now)
    state = with_turn(state, given, most=calls.MOST_TURNS)
    state = replace(state, is_warned=state.is_warned or warned)
    rules = settings.pipeline.continuity
    if rules.enabled:
        found = models.after_prompt(state.continuity or models.new_continuity(now), prompt, query)
        state = replace(state, continuity=found)
        if models.is_due(found, rules, now=now):
            state = write(tx, state, call, Trigger.PERIODIC, settings, now=now)
    states.put(tx, state, now=now)


def used(
    tx: WriteTx,
    call: SessionCall,
    change: Callable[[Continuity], Continuity],
    settings: Settings,
    *,
    now: datetime,
) -> None:
    """Note that something was remembered or looked for in a session that is known; others are not made by that."""
    if call.key is None or states.get(tx, call.agent_id, call.key) is None:
        return
    state = _renewed(tx, call, now)
    if settings.pipeline.continuity.enabled:
        found = change(state.continuity or models.new_continuity(now))
        state = replace(state, continuity=found)
    states.put(tx, state, now=now)


def compacting(
    tx: WriteTx, call: SessionCall, context: str, settings: Settings, *, now: datetime
) -> None:
    """Write a checkpoint; after it the session has lost what it was given, so that it may be given it anew."""
    if call.key is None:
        return
    state = _renewed(tx, call, now)
    if settings.pipeline.continuity.enabled:
        state = replace(state, continuity=state.continuity or models.new_continuity(now))
        state = write(tx, state, call, Trigger.PRE_COMPACTION, settings, now=now, context=context)
    states.put(tx, replace(state, is_started=False, injected=()), now=now)


def compacted(tx: WriteTx, call: SessionCall, *, now: datetime) -> None:
    """Note that a session has a new context: what it was given may be given again (HK-55)."""
    if call.key is None or states.get(tx, call.agent_id, call.key) is None:
        return
    states.put(tx, replace(_renewed(tx, call, now), injected=()), now=now)


def ended(
    tx: WriteTx,
    call: SessionCall,
    settings: Settings,
    *,
    is_cleared: bool,
    is_kept: bool,
    now: datetime,
) -> SessionState | None:
    """Let go of a session and return what it was, and write down where it stood.

    Who has cleared it wants nothing of it in the context of the next: nothing of where it stood is left.
    """
    calls.note_harness(tx, call.harness, now=now)
    if call.key is None:
        return None
    state = states.get(tx, call.agent_id, call.key)
    tx.run(states.DELETE, (call.agent_id, call.key))
    if is_cleared:
        checkpoints.forget(tx, call.agent_id, call.key)
    if not is_kept:
        readings.note_unkept(tx, call.agent_id, call.key, now=now)
    if state is None or is_cleared or state.bypasses(now):
        return state
    state = replace(state, project=call.project or state.project)
    _write_end(tx, state, call, settings, now)
    return state


def turned(tx: WriteTx, call: SessionCall, *, now: datetime) -> SessionState | None:
    """Note that a turn of a session has ended; the session goes on, and whoever serves it keeps it.

    One that nobody knew begins here, so that its silence ends it.
    """
    calls.note_harness(tx, call.harness, now=now)
    if call.key is None:
        return None
    state = states.get(tx, call.agent_id, call.key) or _new(call, now)
    if not state.bypasses(now):
        state = calls.renewed(state, call.runtime_path, now=now)
        states.put(tx, replace(state, project=state.project or call.project), now=now)
    return state


def silent(tx: WriteTx, state: SessionState, settings: Settings, *, now: datetime) -> None:
    """End a session that is silent: nobody serves it any more, and a start after that is a full one (HK-30).

    What its prompts were given stays known (see `session_end.end_silent`).
    """
    call = SessionCall(agent_id=state.agent_id, harness=state.harness, key=state.key)
    _write_end(tx, state, call, settings, now)
    states.put(
        tx,
        SessionState(
            agent_id=state.agent_id,
            key=state.key,
            harness=state.harness,
            project=state.project,
            expires_at=now,
            injected=state.injected,
        ),
        now=now,
    )


def write(
    tx: WriteTx,
    state: SessionState,
    call: SessionCall,
    trigger: Trigger,
    settings: Settings,
    *,
    now: datetime,
    context: str = "",
) -> SessionState:
    """Write a checkpoint of a session and return the session after it."""
    assert state.continuity is not None
    checkpoints.put(
        tx,
        models.checkpoint(state, state.continuity, trigger, now=now, context=context),
        most=settings.pipeline.continuity.max_checkpoints_per_session,
    )
    return replace(state, continuity=models.after_checkpoint(state.continuity, now=now))


def _write_end(
    tx: WriteTx, state: SessionState, call: SessionCall, settings: Settings, now: datetime
) -> None:
    if settings.pipeline.continuity.enabled and state.continuity and state.continuity.total:
        write(tx, state, call, Trigger.SESSION_END, settings, now=now)


def _renewed(tx: WriteTx, call: SessionCall, now: datetime) -> SessionState:
    assert call.key is not None
    state = states.get(tx, call.agent_id, call.key)
    calls.check_claim(state, call.runtime_path, now=now)
    state = calls.renewed(state or _new(call, now), call.runtime_path, now=now)
    return replace(state, project=state.project or call.project)


def _new(call: SessionCall, now: datetime) -> SessionState:
    assert call.key is not None
    return SessionState(
        agent_id=call.agent_id,
        key=call.key,
        harness=call.harness,
        project=call.project,
        expires_at=now + calls.CLAIM_LIFE,
    )
