"""The session that a hook calls from: who may serve it, what it may be given, and what the process does for it."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from signet import clock
from signet.config import Settings
from signet.db import Database, ReadTx, WriteTx, runtime_settings
from signet.db.driver import sqlite
from signet.db.visibility import Here
from signet.domain.auth import caller
from signet.domain.injections.models import Injection, Item, Phase, Reason
from signet.domain.learning import worth
from signet.domain.projects.folder import NOWHERE, ProjectPlace
from signet.domain.recall.models import QueryVector, RecallSettings, Result
from signet.domain.sessions.models import SessionState
from signet.domain.sessions.sql import states
from signet.errors import Conflict, StorageBusy, StorageFull
from signet.observe import logs
from signet.paths import Workspace

if TYPE_CHECKING:
    from signet.wire.requests.recall import RecallBody

P = ParamSpec("P")
T = TypeVar("T")
log = logs.get("hooks")

#: Names of harnesses that are kept, and their length: they come from outside.
MAX_HARNESSES, HARNESS_CHARS = 50, 64
_SEEN = "harness.seen:"
#: How long a claim and a bypass last after the last call of their session (HK-10).
CLAIM_LIFE = timedelta(hours=4)
#: So long before its end a claim is warned of, once (HK-15).
CLAIM_WARNING = timedelta(minutes=30)
#: Turns whose memories are remembered, so that a session is not given the same twice: more than a session has.
MOST_TURNS = 1_000
#: Sessions with memories that an agent must have had before one is held out, and days since the first of them: who has
#: just begun, or read in what there was, is given everything.
LEAST_SESSIONS, LEAST_DAYS = 20, 7


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCall:
    """Who calls from which session.

    `project` is that in which the session began (the folder that harnesses name changes with each `cd`), `here` that
    of the folder in which it works now, which `place` describes.
    """

    agent_id: str
    harness: str
    key: str | None = None
    project: str | None = None
    here: str | None = None
    place: ProjectPlace = NOWHERE
    runtime_path: str | None = None
    #: The session before this call, None for a new one.
    session: SessionState | None = None

    @property
    def where(self) -> Here:
        """Return where the session works; OpenClaw's agent is a personal assistant, whatever its folder is."""
        project = caller.current().scope.project or self.here or ""
        return Here(project, is_personal=self.harness == "openclaw")


#: For the routes, which use no SQL of this noun.
state_of = states.get


def owner(tx: ReadTx, key: str) -> str | None:
    """Return the agent that owns a session, as far as the caller sees; of several the one that called last."""
    asking = caller.current()
    asked = {"key": key, "agent": asking.scope.agent, "hidden": asking.hidden}
    found: str | None = tx.value(states.OWNER, asked)
    return found


def session_of(call: SessionCall) -> SessionState | None:
    """Return the session of a call, None for an unknown one; raises Conflict when another path serves it."""
    check_claim(call.session, call.runtime_path, now=clock.now())
    return call.session


def check_scope(tx: ReadTx, agent_id: str, key: str) -> None:
    """Raise ScopeDenied when a session belongs to another project than those that the caller may touch."""
    asking = caller.current()
    if asking.scope.project is not None:
        for project in tx.column(states.PROJECTS, (agent_id, key)):
            asking.check_row(project=project)


def is_running(tx: ReadTx, agent_id: str, key: str, *, now: datetime) -> bool:
    """Return whether a session runs, so that its end is still to come."""
    found = states.get(tx, agent_id, key)
    return found is not None and found.is_live(now)


def note_harness(tx: WriteTx, harness: str, *, now: datetime) -> None:
    """Note that a harness has called (HK-4)."""
    name, seen = harness[:HARNESS_CHARS], harnesses(tx)
    if name in seen or len(seen) < MAX_HARNESSES:
        runtime_settings.put(tx, f"{_SEEN}{name}", clock.to_text(now))


def harnesses(tx: ReadTx) -> dict[str, str]:
    """Return when each harness has called last (ISO, UTC)."""
    return runtime_settings.get_all(tx, _SEEN)


def check_claim(state: SessionState | None, path: str | None, *, now: datetime) -> None:
    """Raise Conflict when another path serves the session (HK-11, HK-12)."""
    claimed = state.runtime_path if state and state.is_live(now) else None
    if path and claimed and claimed != path:
        raise Conflict(f"session claimed by {claimed} path", "session_claimed", claimedBy=claimed)


def renewed(state: SessionState, path: str | None, *, now: datetime) -> SessionState:
    """Return the session after a call of this path; a claim and a bypass that have expired are gone (HK-14, HK-22)."""
    if not state.is_live(now):
        state = replace(
            state, runtime_path=None, claimed_at=None, is_bypassed=False, is_warned=False
        )
    if state.runtime_path is None or state.runtime_path == path:
        return replace(state, expires_at=now + CLAIM_LIFE)
    return state


def claimed_by(state: SessionState, path: str | None, *, now: datetime) -> SessionState:
    """Return the session as one that this path serves from now on, or goes on to serve."""
    state = renewed(state, path, now=now)
    if path is None or state.runtime_path is not None:
        return state
    return replace(state, runtime_path=path, claimed_at=now, is_warned=False)


def claim_warning(state: SessionState | None, *, now: datetime) -> str | None:
    """Return what to say when the claim had nearly ended before this call, once for each claim (HK-15)."""
    if state is None or state.runtime_path is None or state.is_warned or not state.is_live(now):
        return None
    left = state.expires_at - now
    if left >= CLAIM_WARNING:
        return None
    return f"The claim of this session ends in {int(left.total_seconds() // 60)} minutes unless it is renewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What hooks need of the process that serves them, for one request."""

    db: Database
    settings: Settings
    workspace: Workspace
    #: Returns what gives the vector of a text; to be called off the event loop.
    vector: Callable[[str], Awaitable[QueryVector]]
    #: The numbers of recall.
    tuning: RecallSettings
    #: Answers a question for an agent; unasked only with what belongs where its session works.
    recall: "Callable[[RecallBody, str, Here | None], Awaitable[Result]]"
    #: Records what a session was given, behind the answer; and makes sure that all of it is recorded.
    record: Callable[[Injection], None]
    flush: Callable[[], Awaitable[None]]

    async def note(
        self, function: Callable[Concatenate[WriteTx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Write what a hook notes; None on a full or locked disk, because its answer is only read."""
        try:
            return await self.db.awrite_quick(function, *args, **kwargs)
        except (StorageFull, StorageBusy) as error:
            log.warning("hook.not_noted", code=error.code)
            return None


def is_in_share(key: str, share: float) -> bool:
    """Return whether a session is one of this share. Pure."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) < share * 2**32


def left_out(item: Item) -> Item:
    """Return what the record says of an item that is not given because of this. Pure."""
    return replace(item, is_given=False, chars=0, reason=Reason.HELD_OUT)


async def is_held_out(call: SessionCall, services: Services) -> bool:
    """Return whether a session is given no memories."""
    share = services.settings.pipeline.predictor.held_out
    if call.key is None or not is_in_share(call.key, share):
        return False
    try:
        sessions, first = await services.db.aread(worth.experience, call.agent_id)
    # A session is given its memories whatever becomes of the comparison.
    except sqlite.DatabaseError:
        return False
    week_ago = clock.to_text(clock.now() - timedelta(days=LEAST_DAYS))
    return sessions >= LEAST_SESSIONS and first is not None and first <= week_ago


def record_injection(
    put: Callable[[Injection], None],
    call: SessionCall,
    phase: Phase,
    text: str,
    items: Sequence[Item],
    *,
    prompt: str = "",
    best_score: float | None = None,
    floor: float | None = None,
) -> None:
    """Record with `put` that a session was given `text` (which may be empty), and what it consists of.

    `items` are what was given and then what was left out, each with its reason. `best_score` is that of the nearest
    memory and `floor` what it had to reach. Without `text` its length is that of the items. A call without a session
    is not recorded.
    """
    if call.key is None:
        return
    put(
        Injection(
            agent_id=call.agent_id,
            key=call.key,
            harness=call.harness,
            project=call.project,
            phase=phase,
            at=clock.now(),
            chars=len(text) or sum(one.chars for one in items),
            items=items,
            prompt=prompt,
            best_score=best_score,
            floor=floor,
        )
    )
