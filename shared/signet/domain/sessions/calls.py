"""Who calls from which session, and when each harness has called last."""

from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.db.visibility import Here
from signet.domain.auth import caller
from signet.domain.projects.folder import NOWHERE, ProjectPlace
from signet.domain.sessions import claims
from signet.domain.sessions.models import State
from signet.domain.sessions.sql import states

#: Names of harnesses that are kept, and their length: they come from outside.
MAX_HARNESSES, HARNESS_CHARS = 50, 64
_SEEN = "harness.seen:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
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
    session: State | None = None

    @property
    def where(self) -> Here:
        """Return where the session works; OpenClaw's agent is a personal assistant, whatever its folder is."""
        project = caller.current().scope.project or self.here or ""
        return Here(project, is_personal=self.harness == "openclaw")


def owner(tx: ReadTx, key: str) -> str | None:
    """Return the agent that owns a session, as far as the caller sees; of several the one that called last."""
    asking = caller.current()
    asked = {"key": key, "agent": asking.scope.agent, "hidden": asking.hidden}
    found: str | None = tx.value(states.OWNER, asked)
    return found


def session_of(call: Call) -> State | None:
    """Return the session of a call, None for an unknown one; raises Conflict when another path serves it."""
    claims.check(call.session, call.runtime_path, now=clock.now())
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
