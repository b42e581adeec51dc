"""Where episodes come from, what is indexed of them, and what a search returns."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from signet import ids
from signet.db import vectors

#: Characters of a commit's hash that name it.
COMMIT_CHARS = 12
#: In place of `episode:` in the name of a turn that a session start told: the rest of its talk is not known.
STARTED = "started:"


class SourceType(StrEnum):
    """Where an episode comes from; the strings are stored, and stand in its id.

    Sessions and commits are indexed here, memories and documents are found by the index of memories.
    """

    SESSION = "session"
    COMMIT = "commit"
    MEMORY = "memory"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source. `id` is a session's key, a commit's hash, or the id of a memory, of a long memory's group or of a
    document; `project` is empty for none.
    """

    type: SourceType
    id: str
    agent_id: str
    project: str = ""

    @property
    def name(self) -> str:
        """Return what names it in a session and to an agent: `session:…`, commits and ids shortened."""
        shown = self.id[:COMMIT_CHARS] if self.type is SourceType.COMMIT else ids.short(self.id)
        return f"{self.type}:{self.id if self.type is SourceType.SESSION else shown}"

    def part(self, position: int, place: int) -> str:
        """Return by what a session knows that it was told one turn: of a chunk, which it is there."""
        return f"episode:{self.name}#{position}.{place}"


def is_given(name: str, given: Collection[str]) -> bool:
    """Return whether a session received a turn, with its start or later."""
    return name in given or name.replace("episode:", STARTED, 1) in given


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a source; its `position` counts from 0 and `said_at` is an ISO instant."""

    position: int
    content: str
    said_at: str
    #: Where it was said, None for the project of its source.
    project: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A source that a prompt is about, and the position of its best chunk.

    `score` orders matches; `said_at` is the time of that chunk. `is_same_matter`: it is about what the best match is
    about, earlier or later. `is_asked`: a short prompt asks for something of it, which is told rather than its outcome.
    """

    source: Source
    position: int
    score: float
    said_at: str
    is_same_matter: bool = False
    is_asked: bool = False
    #: Who says it, as far as that is known, for a memory or document.
    origin: str = ""
    #: It comes from the web or a tool.
    is_strangers: bool = False


class FoundRow(NamedTuple):
    """A chunk, memory or piece of a document that was found; `rank` is its bm25.

    `vectors` are those of its exchanges, `parts` of them, one behind the other.
    """

    source_type: str
    source_id: str
    agent_id: str
    project: str
    position: int
    said_at: str
    content: str
    vectors: bytes | None
    parts: int
    rank: float
    kind: str
    who: str | None
    title: str | None
    origin: str
    review: str | None

    @property
    def middle(self) -> bytes | None:
        """Return the mean of its vectors."""
        return vectors.mean(self.vectors, self.parts)

    @property
    def source(self) -> Source:
        """Return what it is of."""
        return Source(
            type=SourceType(self.source_type),
            id=self.source_id,
            agent_id=self.agent_id,
            project=self.project,
        )
