"""Agents: registry, roster, read policy and memory counts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from signet import clock
from signet.config.roster import NAME, RosterAgent
from signet.config.roster import RosterPolicy as Listed
from signet.db import ReadTx, WriteTx
from signet.db.visibility import IN_A_SPACE, Here, Reader, ReadPolicy, Where, readable
from signet.domain.agents import sql
from signet.domain.auth import caller
from signet.domain.auth.tokens import TokenScope
from signet.errors import Invalid
from signet.files import LARGE_BYTES, read_markdown, replace_file
from signet.ids import DEFAULT_AGENT, is_of_user
from signet.paths import Workspace
from signet.wire.access import Verb


class Agent(NamedTuple):
    """A known agent and its read policy; `name` is its display name, times are as stored."""

    id: str
    read_policy: ReadPolicy
    policy_group: str | None = None
    name: str | None = None
    created_at: str = ""
    updated_at: str = ""


def policy_reader(
    agent_id: str,
    agent: Agent | None,
    *,
    scope: str | None = None,
    any_scope: bool = False,
    here: Here | None = None,
    spaces: tuple[str, ...] | None = (),
) -> Reader:
    """Return what this agent may read; the default agent and people read shared rows, an unknown one only its own."""
    sees_shared = agent_id == DEFAULT_AGENT or is_of_user(agent_id)
    unknown = ReadPolicy.SHARED if sees_shared else ReadPolicy.ISOLATED
    return Reader(
        agent_id=agent_id,
        policy=agent.read_policy if agent else unknown,
        group=agent.policy_group if agent else None,
        scope=scope,
        any_scope=any_scope,
        here=here,
        spaces=spaces,
    )


def within(found: Reader, scope: TokenScope) -> Reader:
    """Return the reader limited to a token's scope: rows of its project or agent (AUTH-20).

    The token of a user reads shared rows too (AUTH-27).
    """
    if scope.agent is not None and scope.user is None:
        found = replace(found, policy=ReadPolicy.ISOLATED, group=None)
    return found if scope.project is None else replace(found, project=scope.project)


def get(tx: ReadTx, agent_id: str) -> Agent | None:
    return tx.row(Agent, sql.AGENT_BY_ID, (agent_id,))


def every(tx: ReadTx) -> list[Agent]:
    """Return every registered agent, the default one first."""
    return tx.rows(Agent, sql.AGENTS)


def has_others(tx: ReadTx) -> bool:
    """Return whether any agent but the default one is registered."""
    return tx.value(sql.HAS_OTHERS) is not None


def known_as(tx: ReadTx, agent_id: str) -> str:
    """Return the agent of this name; the default one while no other is registered (HN-77)."""
    return agent_id if caller.is_certain(agent_id) or has_others(tx) else DEFAULT_AGENT


def put(tx: WriteTx, agent: Agent, *, now: datetime) -> None:
    """Register an agent, or update its policy, if anything differs."""
    values = {
        "id": agent.id,
        "name": agent.name,
        "policy": agent.read_policy,
        "group": agent.policy_group,
        "at": clock.to_text(now),
    }
    tx.run(sql.PUT_AGENT, values)


def remove(tx: WriteTx, agent_id: str) -> None:
    """Delete an agent without touching its memories."""
    tx.run(sql.DELETE_AGENT, (agent_id,))


def counts(tx: ReadTx, agent_id: str | None = None) -> dict[str, dict[str, int]]:
    """Return the active memories of each agent, or of this one, by visibility."""
    found: dict[str, dict[str, int]] = {}
    for owner, visibility, number in tx.rows(sql.MemoryCount, sql.MEMORY_COUNTS, (agent_id,)):
        found.setdefault(owner, {})[visibility] = number
    return found


def reader(
    tx: ReadTx,
    agent_id: str,
    *,
    scope: str | None = None,
    any_scope: bool = False,
    here: Here | None = None,
    as_of: datetime | None = None,
) -> Reader:
    """Return what this agent may read now, limited to the caller's scope (`db/visibility.py`).

    A key does not read memories of spaces `as_of` an instant: their texts of that time may have been private.
    """
    asking = caller.current()
    spaces = asking.spaces(Verb.READ)
    found = policy_reader(
        agent_id,
        get(tx, agent_id),
        scope=scope,
        any_scope=any_scope,
        here=here,
        spaces=spaces and (() if as_of else spaces),
    )
    return within(found, asking.scope)


def common_reader(tx: ReadTx, agent_id: str) -> Reader:
    """Return what this agent may read through every key, for what all of them receive: MEMORY.md, stored maps."""
    return replace(reader(tx, agent_id), spaces=())


def changeable(tx: ReadTx, agent_id: str, *, scope: str | None, any_scope: bool) -> Where:
    """Return the condition on rows of `memories` (`m`) that the caller may change for this agent.

    The counterpart of `Caller.check_row` for rows that no request names: a token limited to an owner selects only
    among its own memories, whatever it may read (AUTH-27).
    """
    asking = caller.current()
    found = reader(tx, agent_id, scope=scope, any_scope=any_scope)
    if asking.scope.agent is not None:
        found = replace(found, policy=ReadPolicy.ISOLATED, group=None)
    own = readable(replace(found, spaces=asking.spaces(Verb.WRITE)))
    return own & Where(
        "(m.agent_id NOT GLOB ? OR m.visibility LIKE ?)", (asking.hidden, IN_A_SPACE)
    )


#: Maximum name length, also for a folder.
MAX_NAME = 64


def follow(tx: WriteTx, roster: Sequence[RosterAgent], *, now: datetime) -> None:
    """Register the roster's agents; others stay, and the default agent always exists (HN-70)."""
    if get(tx, DEFAULT_AGENT) is None:
        shared = Agent(id=DEFAULT_AGENT, name=DEFAULT_AGENT, read_policy=ReadPolicy.SHARED)
        put(tx, shared, now=now)
    for one in roster:
        put(tx, agent_of(one), now=now)


def agent_of(listed: RosterAgent) -> Agent:
    return Agent(
        id=listed.name,
        name=listed.name,
        read_policy=ReadPolicy(listed.read_policy.value),
        policy_group=listed.policy_group,
    )


def checked(name: str, policy: str | None, group: str | None) -> RosterAgent:
    """Return a new roster entry, isolated by default; raises Invalid."""
    if not NAME.fullmatch(name) or len(name) > MAX_NAME or name == DEFAULT_AGENT:
        raise Invalid(
            f"name must be small letters, digits and hyphens, at most {MAX_NAME}, and not `default`"
        )
    wanted = policy or Listed.ISOLATED
    if wanted not in set(Listed):
        raise Invalid("read_policy must be isolated, shared or group")
    group = (group or "").strip() or None
    if wanted == Listed.GROUP and group is None:
        raise Invalid("policy_group is required with read_policy group")
    return RosterAgent(name=name, read_policy=Listed(wanted), policy_group=group)


#: Files that an agent may have; the worker writes MEMORY.md.
OWN = ("SOUL.md", "IDENTITY.md")
_OWN = frozenset({*OWN, "MEMORY.md"})
#: Sections after the root's AGENTS.md: headings and files (HN-75).
_SECTIONS = (
    ("Soul", "SOUL.md"),
    ("Identity", "IDENTITY.md"),
    ("About Your User", "USER.md"),
    ("Working Memory", "MEMORY.md"),
)


def folder(workspace: Workspace, agent_id: str) -> Path | None:
    """Return the folder of an agent's files; None for the default agent and for invalid folder names."""
    is_name = NAME.fullmatch(agent_id) is not None and agent_id != DEFAULT_AGENT
    return workspace.root / "agents" / agent_id if is_name else None


def find(workspace: Workspace, agent_id: str, name: str) -> Path:
    """Return the path of an agent's file: its own if it is not empty, else the root's."""
    own = folder(workspace, agent_id)
    if own is not None and name in _OWN and (name == "MEMORY.md" or _text(own / name)):
        return own / name
    return workspace.root / name


def present(workspace: Workspace, agent_id: str) -> list[str]:
    own = folder(workspace, agent_id)
    return sorted(name for name in _OWN if own is not None and (own / name).is_file())


def make(workspace: Workspace, agent_id: str) -> list[Path]:
    """Create an agent's folder with SOUL.md and IDENTITY.md; existing files stay.

    SOUL.md is empty, so the workspace's is used until this one has text.
    """
    own = folder(workspace, agent_id)
    if own is None:
        raise Invalid(f"'{agent_id}' is not a valid agent name")
    own.mkdir(parents=True, exist_ok=True)
    words = {"SOUL.md": "", "IDENTITY.md": f"# Identity\n\n- name: {agent_id}\n"}
    made = [own / name for name in OWN if not (own / name).exists()]
    for path in made:
        replace_file(path, words[path.name].encode())
    return made


def write_workspaces(workspace: Workspace, agent_ids: Iterable[str]) -> list[Path]:
    """Write `agents/NAME/workspace/AGENTS.md` for each of these agents; return the changed files (HN-75)."""
    changed = []
    for agent_id in agent_ids:
        own = folder(workspace, agent_id)
        if own is None:
            continue
        path = own / "workspace" / "AGENTS.md"
        text = composed(workspace, agent_id)
        if not text or (path.is_file() and path.read_bytes() == text.encode()):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
        changed.append(path)
    return changed


def composed(workspace: Workspace, agent_id: str) -> str:
    """Return the root's AGENTS.md followed by the agent's identity, user and memory; empty without any."""
    parts = [_text(workspace.root / "AGENTS.md")]
    for heading, name in _SECTIONS:
        text = _text(find(workspace, agent_id, name))
        if text:
            parts.append(f"## {heading}\n\n{text}")
    whole = "\n\n".join(part for part in parts if part)
    return f"{whole}\n" if whole else ""


def _text(path: Path) -> str:
    try:
        return read_markdown(path, LARGE_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""
