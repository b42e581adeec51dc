"""What a session did since it was last looked at. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

#: How much of a session a checkpoint holds (CP-5).
MAX_QUERIES = 20
MAX_REMEMBERS = 10
#: Checkpoints of one session that come within so long are one.
MERGE_SECONDS = 2.5


class Trigger(StrEnum):
    """Why a checkpoint was made."""

    PERIODIC = "periodic"
    PRE_COMPACTION = "pre_compaction"
    SESSION_END = "session_end"
    AGENT = "agent"
    EXPLICIT = "explicit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One look at a session; `digest` is what a later session is told."""

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


def merged(earlier: Checkpoint, later: Checkpoint) -> Checkpoint:
    """Return two checkpoints of a session as one: counts add, lists go on, the rest is the later one's (CP-5)."""
    return replace(
        later,
        prompt_count=earlier.prompt_count + later.prompt_count,
        queries=(*earlier.queries, *later.queries)[-MAX_QUERIES:],
        remembers=(*earlier.remembers, *later.remembers)[-MAX_REMEMBERS:],
        focal_entity_ids=_united(earlier.focal_entity_ids, later.focal_entity_ids),
        focal_entity_names=_united(earlier.focal_entity_names, later.focal_entity_names),
        active_aspect_ids=_united(earlier.active_aspect_ids, later.active_aspect_ids),
    )


def _united(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
