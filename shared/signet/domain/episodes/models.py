"""What is indexed of sessions and commits, and what a search returns."""

from dataclasses import dataclass
from enum import StrEnum


class SourceType(StrEnum):
    """Where an episode comes from; the strings are stored."""

    SESSION = "session"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One session or commit. `id` is the session's key or the commit's hash; `project` is empty for none."""

    type: SourceType
    id: str
    agent_id: str
    project: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a source; its `position` counts from 0 and `said_at` is an ISO instant."""

    position: int
    content: str
    said_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A source that a prompt is about, and the position of its best chunk.

    `score` orders matches; `said_at` is the time of that chunk. `is_same_matter`: it is about what the best match is
    about, earlier or later.
    """

    source: Source
    position: int
    score: float
    said_at: str
    is_same_matter: bool = False
