"""What a session did since it was last looked at. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

#: How much of a session a checkpoint holds (CP-5).
MAX_QUERIES = 20
MAX_REMEMBERS = 10


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
