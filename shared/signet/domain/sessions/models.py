"""The state of a running session, and its checkpoints. Pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from signet import clock
from signet.config.pipeline import ContinuitySettings
from signet.db import columns
from signet.observe.redact import redact


class RuntimePath(StrEnum):
    """How a session is served: by an adapter in the harness, or by shell hooks."""

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
    """What a session did since the previous checkpoint; `digest` is the text injected into a later session."""

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
    """What a session did since its last checkpoint (`prompts`) and in total; times are ISO-8601 text."""

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
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """A running session. `expires_at` is the end of its claim and bypass, not of the session."""

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
    #: The IDs injected in each of the last turns, oldest turn first.
    injected: tuple[tuple[str, ...], ...] = ()
    continuity: Continuity | None = None

    def is_live(self, now: datetime) -> bool:
        """Return whether claim and bypass still hold."""
        return now < self.expires_at

    def bypasses(self, now: datetime) -> bool:
        """Return whether hooks must do nothing (HK-20)."""
        return self.is_bypassed and self.is_live(now)

    @property
    def given(self) -> frozenset[str]:
        """Return the IDs injected in the last turns."""
        return frozenset(one for turn in self.injected for one in turn)


def continuity_of(stored: str | None) -> Continuity | None:
    """Return the continuity stored in a row, None if missing or unreadable."""
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
    """Return the injected IDs of the last turns stored in a row, empty if unreadable."""
    found = columns.json_value(stored)
    turns = found if isinstance(found, list) else ()
    return tuple(tuple(map(str, turn)) for turn in turns if isinstance(turn, list))


def with_turn(state: SessionState, ids: Sequence[str], *, most: int) -> SessionState:
    """Return the state after a turn with these injected IDs; keeps the last `most` turns (HK-55)."""
    if not ids:
        return state
    return replace(state, injected=(*state.injected, tuple(ids))[-most:])


def _frozen(value: object) -> object:
    return tuple(map(str, value)) if isinstance(value, list) else value


#: Most entries of each kind in a checkpoint (CP-5).
MAX_QUERIES = 20
MAX_REMEMBERS = 10
MAX_SNIPPETS = 10
#: Characters stored of each prompt, query and saved text; queries and saved texts are shown at this length too.
KEPT_CHARS = 200
TOLD_CHARS = 120
#: Characters of the harness's own text before a compaction that are injected.
CONTEXT_CHARS = 4_000

_TITLES = {
    Trigger.PRE_COMPACTION: "## Pre-Compaction Checkpoint",
    Trigger.SESSION_END: "## Session End Checkpoint",
}

#: The heading of a digest, and the session's queries, which do not help a later session.
_TITLE = re.compile(r"\A## .*\n")
_QUERIES = re.compile(r"\n\n### Memory Activity\nQueries:(?:\n- .*)*")


def new_continuity(now: datetime) -> Continuity:
    at = clock.to_text(now)
    return Continuity(started_at=at, checkpoint_at=at)


def after_prompt(found: Continuity, prompt: str, query: str) -> Continuity:
    """Return the continuity after a prompt; `query` is its search, empty for none."""
    return replace(
        found,
        prompts=found.prompts + 1,
        total=found.total + 1,
        snippets=(*found.snippets, _kept(prompt))[-MAX_SNIPPETS:],
        queries=after_query(found, query).queries,
    )


def after_query(found: Continuity, query: str) -> Continuity:
    if not query.strip():
        return found
    return replace(found, queries=(*found.queries, _kept(query))[-MAX_QUERIES:])


def after_save(found: Continuity, content: str) -> Continuity:
    return replace(found, remembers=(*found.remembers, _kept(content))[-MAX_REMEMBERS:])


def is_due(found: Continuity, settings: ContinuitySettings, *, now: datetime) -> bool:
    """Return whether a prompt needs a checkpoint: after a number of prompts, or a length of time."""
    since = clock.parsed(found.checkpoint_at) or now
    late = now - since >= timedelta(milliseconds=settings.time_interval_ms)
    return found.prompts >= settings.prompt_interval or (found.prompts > 0 and late)


def after_checkpoint(found: Continuity, *, now: datetime) -> Continuity:
    """Return the continuity after a checkpoint, with the parts that the next one repeats."""
    return replace(found, prompts=0, checkpoint_at=clock.to_text(now))


def checkpoint(
    state: SessionState, found: Continuity, trigger: Trigger, *, now: datetime, context: str = ""
) -> Checkpoint:
    """Return the checkpoint of a session; the last one counts all prompts."""
    count = found.total if trigger is Trigger.SESSION_END else found.prompts
    return Checkpoint(
        agent_id=state.agent_id,
        session_key=state.key,
        harness=state.harness,
        project=state.project,
        trigger=trigger,
        digest=digest(state, found, trigger, now=now, context=context),
        prompt_count=count,
        at=now,
        queries=found.queries,
        remembers=found.remembers,
        focal_entity_ids=found.focal_ids,
        focal_entity_names=found.focal_names,
        active_aspect_ids=found.aspect_ids,
        constraint_count=found.constraints,
        traversal_count=found.traversed,
    )


def digest(
    state: SessionState, found: Continuity, trigger: Trigger, *, now: datetime, context: str = ""
) -> str:
    """Return the text of a checkpoint (HK-80): its structure first."""
    lasted = duration(now - (clock.parsed(found.started_at) or now))
    lines = [_TITLES.get(trigger, "## Session Checkpoint")]
    if state.project:
        lines.append(f"Project: {state.project}")
    lines.append(f"Duration: {lasted} | Prompts: {found.total}")
    if found.focal_names:
        lines += ["", "### Structure", f"Focus: {', '.join(found.focal_names)}"]
    if found.constraints:
        lines.append(f"Constraints: {found.constraints}")
    if found.traversed:
        lines.append(f"Memories reached: {found.traversed}")
    if context.strip():
        lines += ["", "### Where It Stood", context.strip()[:CONTEXT_CHARS]]
    if found.snippets:
        lines += ["", "### Recent Prompts", *(f"- {one}" for one in found.snippets)]
    if found.queries or found.remembers:
        lines += ["", "### Memory Activity"]
        lines += _listed("Queries:", found.queries)
        lines += _listed("Remembered:", found.remembers)
    return "\n".join(lines)


def for_session(digest: str) -> str:
    """Return a digest for a later session, under its heading."""
    return _QUERIES.sub("", _TITLE.sub("", digest, count=1), count=1)


def duration(lasted: timedelta) -> str:
    """Return a length of time as `12m` or `2h 5m`."""
    hours, minutes = divmod(max(0, int(lasted.total_seconds() // 60)), 60)
    return f"{hours}h {minutes}m" if hours else f"{minutes}m"


def _listed(title: str, texts: tuple[str, ...]) -> list[str]:
    return [title, *(f"- {text[:TOLD_CHARS]}" for text in texts)] if texts else []


def _kept(text: str) -> str:
    """Return the beginning of a text in one line, with possible secrets masked."""
    return redact(" ".join(text[: 4 * KEPT_CHARS].split()))[:KEPT_CHARS]
