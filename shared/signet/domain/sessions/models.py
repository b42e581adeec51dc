"""What is known of a session while it runs. Pure."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from signet.db import columns


class RuntimePath(StrEnum):
    """By which way a session is served: an adapter within the harness, or hooks of its shell."""

    PLUGIN = "plugin"
    LEGACY = "legacy"


class Trigger(StrEnum):
    """Why a checkpoint was made."""

    PERIODIC = "periodic"
    PRE_COMPACTION = "pre_compaction"
    SESSION_END = "session_end"
    AGENT = "agent"
    EXPLICIT = "explicit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a session did since the checkpoint before; `digest` is the text that a later session is given."""

    agent_id: str
    session_key: str
    harness: str
    project: str | None
    trigger: Trigger
    digest: str
    prompt_count: int
    at: datetime
    queries: tuple[str, ...] = ()
    remembers: tuple[str, ...] = ()
    focal_entity_ids: tuple[str, ...] = ()
    focal_entity_names: tuple[str, ...] = ()
    active_aspect_ids: tuple[str, ...] = ()
    constraint_count: int | None = None
    traversal_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuity:
    """What a session did since its last checkpoint (`prompts`) and in all; times are ISO-8601 text."""

    started_at: str
    checkpoint_at: str
    prompts: int = 0
    total: int = 0
    queries: tuple[str, ...] = ()
    remembers: tuple[str, ...] = ()
    snippets: tuple[str, ...] = ()
    focal_ids: tuple[str, ...] = ()
    focal_names: tuple[str, ...] = ()
    aspect_ids: tuple[str, ...] = ()
    constraints: int | None = None
    traversed: int | None = None

    def to_json(self) -> str:
        """Return it as it is stored."""
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One session that runs. `expires_at` is the end of its claim and of its bypass, not of the session."""

    agent_id: str
    key: str
    harness: str
    expires_at: datetime
    project: str | None = None
    runtime_path: str | None = None
    claimed_at: datetime | None = None
    is_warned: bool = False
    is_bypassed: bool = False
    is_started: bool = False
    #: Ids that each of the last turns was given, oldest turn first.
    injected: tuple[tuple[str, ...], ...] = ()
    continuity: Continuity | None = None

    def is_live(self, now: datetime) -> bool:
        """Return whether claim and bypass still hold."""
        return now < self.expires_at

    def bypasses(self, now: datetime) -> bool:
        """Return whether hooks are to do nothing (HK-20)."""
        return self.is_bypassed and self.is_live(now)

    @property
    def given(self) -> frozenset[str]:
        """Return what the session was given lately."""
        return frozenset(one for turn in self.injected for one in turn)


def continuity_of(stored: str | None) -> Continuity | None:
    """Return what a row holds, None for none and for what cannot be read."""
    found = columns.json_value(stored)
    if not isinstance(found, dict):
        return None
    known = {field.name for field in fields(Continuity)}
    values: dict[str, Any] = {
        name: _frozen(value) for name, value in found.items() if name in known
    }
    try:
        return Continuity(**values)
    except TypeError:
        return None


def turns_of(stored: str) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the last turns that a row holds, none for what cannot be read."""
    found = columns.json_value(stored)
    turns = found if isinstance(found, list) else ()
    return tuple(tuple(map(str, turn)) for turn in turns if isinstance(turn, list))


def with_turn(state: State, ids: Sequence[str], *, most: int) -> State:
    """Return the state after a turn that was given something; the last `most` of them are kept (HK-55)."""
    if not ids:
        return state
    return replace(state, injected=(*state.injected, tuple(ids))[-most:])


def _frozen(value: object) -> object:
    return tuple(map(str, value)) if isinstance(value, list) else value
