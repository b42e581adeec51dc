"""The session that calls a hook: who may serve it, what it may receive, and what the process provides."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from signet import clock, ids
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

#: Limits for harness names, which come from outside: how many are stored, and their length.
MAX_HARNESSES, HARNESS_CHARS = 50, 64
_SEEN = "harness.seen:"
#: A claim and a bypass expire this long after the last call of their session (HK-10).
CLAIM_LIFE = timedelta(hours=4)
#: The caller is warned once, this long before the claim ends (HK-15).
CLAIM_WARNING = timedelta(minutes=30)
#: Turns whose memories are remembered to avoid injecting them twice; more than a session has.
MOST_TURNS = 1_000
#: Before an agent's sessions can be held out, it needs this many sessions with memories, and this many days since the
#: first. A newcomer, or someone who has just imported a history, receives everything.
LEAST_SESSIONS, LEAST_DAYS = 20, 7


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCall:
    """The calling session and its agent.

    `project` is where the session began: harnesses report another folder after each `cd`. `here` is the project of the
    current folder, which `place` describes.
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
    #: It works in a folder of `hooks.privateFolders`, which bypasses its hooks (HK-124).
    is_private: bool = False

    def bypasses(self, state: SessionState | None, now: datetime) -> bool:
        """Return whether the hooks of the session do nothing, in this state."""
        return self.is_private or (state is not None and state.bypasses(now))

    @property
    def where(self) -> Here:
        """Return where the session works; OpenClaw's agent is a personal assistant in any folder."""
        project = caller.current().scope.project or self.here or ""
        return Here(project, is_personal=self.harness == "openclaw")


#: For the routes, which use no SQL of this noun.
state_of = states.get


class SessionHome(NamedTuple):
    """A session of an agent: its stored key, the project in which it began, and its state while it runs."""

    key: str
    project: str | None
    state: SessionState | None


NO_SESSION = SessionHome("", None, None)


def _scoped(key: str, harness: str) -> str:
    return f"{key}@{harness}"


def known(tx: ReadTx, agent_id: str, harness: str, key: str) -> SessionHome:
    """Return the session that a harness calls `key` (HK-5).

    Two harnesses that choose the same key have two sessions; the later one is stored as `KEY@HARNESS`. A UUID is the
    same session in any harness, because some harnesses run the hooks of another.
    """
    state = states.get(tx, agent_id, key)
    is_unique = not harness or ids.is_uuid(key)
    if state and state.project and (is_unique or state.harness == harness):
        return SessionHome(key, state.project, state)
    asked = {"agent": agent_id, "key": key, "scoped": _scoped(key, harness)}
    rows = tx.rows(states.StoredPart, states.KNOWN, asked)
    others = {row.harness for row in rows if row.harness and row.session_key == key}
    is_taken = bool(others) and harness not in others and not is_unique
    if is_taken or any(row.session_key == asked["scoped"] for row in rows):
        key = asked["scoped"]
        state = states.get(tx, agent_id, key)
    projects = (row.project for row in rows if row.project and row.session_key == key)
    begun = state.project if state else None
    return SessionHome(key, begun or next(projects, None), state)


def owner(tx: ReadTx, key: str, harness: str) -> str | None:
    """Return the agent that owns a session the caller may see; of several, the one that called last."""
    asking = caller.current()
    asked = {
        "key": key,
        "scoped": _scoped(key, harness),
        "agent": asking.scope.agent,
        "hidden": asking.hidden,
    }
    found: str | None = tx.value(states.OWNER, asked)
    return found


def session_of(call: SessionCall) -> SessionState | None:
    """Return the session of a call, None for an unknown one; raises Conflict if another path serves it."""
    check_claim(call.session, call.runtime_path, now=clock.now())
    return call.session


def check_scope(tx: ReadTx, agent_id: str, key: str) -> None:
    """Raise ScopeDenied if the session belongs to a project outside the caller's scope."""
    asking = caller.current()
    if asking.scope.project is not None:
        for project in tx.column(states.PROJECTS, (agent_id, key)):
            asking.check_row(project=project)


def is_running(tx: ReadTx, agent_id: str, key: str, *, now: datetime) -> bool:
    found = states.get(tx, agent_id, key)
    return found is not None and found.is_live(now)


def note_harness(tx: WriteTx, harness: str, *, now: datetime) -> None:
    """Note that a harness has called (HK-4)."""
    name, seen = harness[:HARNESS_CHARS], harnesses(tx)
    if name in seen or len(seen) < MAX_HARNESSES:
        runtime_settings.put(tx, f"{_SEEN}{name}", clock.to_text(now))


def harnesses(tx: ReadTx) -> dict[str, str]:
    """Return the time of each harness's last call (ISO, UTC)."""
    return runtime_settings.get_all(tx, _SEEN)


def check_claim(state: SessionState | None, path: str | None, *, now: datetime) -> None:
    """Raise Conflict if another path serves the session (HK-11, HK-12)."""
    claimed = state.runtime_path if state and state.is_live(now) else None
    if path and claimed and claimed != path:
        raise Conflict(f"session claimed by {claimed} path", "session_claimed", claimedBy=claimed)


def renewed(state: SessionState, path: str | None, *, now: datetime) -> SessionState:
    """Return the session after a call of this path, without an expired claim or bypass (HK-14, HK-22)."""
    if not state.is_live(now):
        state = replace(
            state, runtime_path=None, claimed_at=None, is_bypassed=False, is_warned=False
        )
    if state.runtime_path is None or state.runtime_path == path:
        return replace(state, expires_at=now + CLAIM_LIFE)
    return state


def claimed_by(state: SessionState, path: str | None, *, now: datetime) -> SessionState:
    state = renewed(state, path, now=now)
    if path is None or state.runtime_path is not None:
        return state
    return replace(state, runtime_path=path, claimed_at=now, is_warned=False)


def claim_warning(state: SessionState | None, *, now: datetime) -> str | None:
    """Return the warning that the claim had nearly ended before this call, once per claim (HK-15)."""
    if state is None or state.runtime_path is None or state.is_warned or not state.is_live(now):
        return None
    left = state.expires_at - now
    if left >= CLAIM_WARNING:
        return None
    return f"The claim of this session ends in {int(left.total_seconds() // 60)} minutes unless it is renewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What the serving process provides to hooks, for one request."""

    db: Database
    settings: Settings
    workspace: Workspace
    #: Returns the function that computes a text's vector; call it off the event loop.
    vector: Callable[[str], Awaitable[QueryVector]]
    #: The numbers of recall.
    tuning: RecallSettings
    #: Answers a question for an agent. Without a user's request, only memories of the session's place qualify.
    recall: "Callable[[RecallBody, str, Here | None], Awaitable[Result]]"
    #: Records an injection after the answer was sent; and makes sure that all of it is recorded.
    record: Callable[[Injection], None]
    flush: Callable[[], Awaitable[None]]

    async def note(
        self, function: Callable[Concatenate[WriteTx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Write a hook's note; return None on a full or locked disk, because the hook's answer only reads."""
        try:
            return await self.db.awrite_quick(function, *args, **kwargs)
        except (StorageFull, StorageBusy) as error:
            log.warning("hook.not_noted", code=error.code)
            return None


def is_in_share(key: str, share: float) -> bool:
    """Return whether a session falls into this share. Pure."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) < share * 2**32


def left_out(item: Item) -> Item:
    """Return the record of an item omitted because the session is held out. Pure."""
    return replace(item, is_given=False, chars=0, reason=Reason.HELD_OUT)


async def is_held_out(call: SessionCall, services: Services) -> bool:
    """Return whether a session receives no memories, for comparison with others."""
    share = services.settings.pipeline.predictor.held_out
    if call.key is None or not is_in_share(call.key, share):
        return False
    try:
        sessions, first = await services.db.aread(worth.experience, call.agent_id)
    # If the comparison fails, the session receives its memories.
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
    """Record with `put` that a session received `text` (which may be empty), and its items.

    `items` are the injected ones, then the omitted ones with reasons. `best_score` is the score of the nearest memory,
    `floor` the score it needed. If `text` is empty, the recorded length is that of the items. A call without
    a session is not recorded.
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
