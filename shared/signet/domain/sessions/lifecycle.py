"""Changes of a session by each hook call, one transaction each."""

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
    """The state of a session at its start, before any injection."""

    is_bypassed: bool = False
    #: Whether it has received its context before.
    is_known: bool = False
    #: Items that earlier prompts received.
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
        is_bypassed=state.is_bypassed or call.is_private,
    )
    states.put(tx, state, now=now)
    return Begun(
        is_bypassed=call.bypasses(state, now),
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
    """Record that the session received its context with the memories `given`.

    `fresh` adds the topics of that context to the continuity (HK-31).
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
    """Record a prompt and its injected items; write a checkpoint when needed."""
    calls.note_harness(tx, call.harness, now=now)
    if call.key is None:
        return
    readings.note_prompt(tx, call.agent_id, call.key, call.harness, now=now)
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
    """Record a save or search in a known session; an unknown one is not created."""
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
    """Write a checkpoint. The session then loses its context, so everything may be injected again."""
    if call.key is None:
        return
    state = _renewed(tx, call, now)
    if settings.pipeline.continuity.enabled:
        state = replace(state, continuity=state.continuity or models.new_continuity(now))
        state = write(tx, state, call, Trigger.PRE_COMPACTION, settings, now=now, context=context)
    states.put(tx, replace(state, is_started=False, injected=()), now=now)


def compacted(tx: WriteTx, call: SessionCall, *, now: datetime) -> None:
    """Record that a session has a new context: earlier items may be injected again (HK-55)."""
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
    """Release a session, write a checkpoint, and return its last state.

    After a clear the user wants none of it in the next context, so all checkpoints are deleted.
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
    if state is None or is_cleared or call.bypasses(state, now):
        return state
    state = replace(state, project=call.project or state.project)
    _write_end(tx, state, call, settings, now)
    return state


def turned(tx: WriteTx, call: SessionCall, *, now: datetime) -> SessionState | None:
    """Record the end of a turn; the session continues under the same claim.

    An unknown session begins here, so that a long silence ends it.
    """
    calls.note_harness(tx, call.harness, now=now)
    if call.key is None:
        return None
    state = states.get(tx, call.agent_id, call.key) or _new(call, now)
    if not call.bypasses(state, now):
        state = calls.renewed(state, call.runtime_path, now=now)
        states.put(tx, replace(state, project=state.project or call.project), now=now)
    return state


def silent(tx: WriteTx, state: SessionState, settings: Settings, *, now: datetime) -> None:
    """End a silent session: release its claim, so that the next start is a full one (HK-30).

    What its prompts received stays recorded (see `session_end.end_silent`).
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
