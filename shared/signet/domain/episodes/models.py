"""Sources of episodes, their chunks, and the results of a search."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from signet import ids
from signet.db import fts, vectors

#: Length of a commit's short hash.
COMMIT_CHARS = 12
#: Replaces `episode:` in the name of a turn from a session start, where the rest of the conversation is unknown.
STARTED = "started:"
#: Precedes the name of a statement.
SAID = "said:"


class SourceType(StrEnum):
    """The type of an episode's source; the strings are stored, and are part of its ID.

    Sessions and commits are indexed here; the index of memories finds memories and documents.
    """

    SESSION = "session"
    COMMIT = "commit"
    MEMORY = "memory"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source. `id` is a session key, a commit hash, or the ID of a memory, of a long memory's group or of a
    document; `project` is empty for none.
    """

    type: SourceType
    id: str
    agent_id: str
    project: str = ""

    @property
    def name(self) -> str:
        """Return its name for a session and an agent: `session:…`, with commits and IDs shortened."""
        shown = self.id[:COMMIT_CHARS] if self.type is SourceType.COMMIT else ids.short(self.id)
        return f"{self.type}:{self.id if self.type is SourceType.SESSION else shown}"

    def part(self, position: int, place: int) -> str:
        """Return the name of one turn of a chunk, for the session's record."""
        return f"episode:{self.name}#{position}.{place}"


@lru_cache(2_048)
def statement_name(text: str) -> str:
    """Return the name by which a session recognises a statement that it has received, from any source."""
    said = " ".join(fts.words(text))
    return f"{SAID}{hashlib.sha256(said.encode()).hexdigest()[:16]}"


def is_given(name: str, given: Collection[str]) -> bool:
    return name in given or name.replace("episode:", STARTED, 1) in given


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a source; its `position` counts from 0 and `said_at` is an ISO instant."""

    position: int
    content: str
    said_at: str
    #: The project of this chunk, None for that of its source.
    project: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A source related to a prompt, and the position of its best chunk.

    `score` orders matches; `said_at` is the time of that chunk. `is_same_matter`: it has the subject of the best match,
    earlier or later. `is_asked`: a short prompt asks for a detail of it, which is quoted instead of its outcome.
    """

    source: Source
    position: int
    score: float
    said_at: str
    is_same_matter: bool = False
    is_asked: bool = False
    #: The author of a memory or document, as far as known.
    origin: str = ""
    #: It comes from the web or a tool.
    is_strangers: bool = False


class FoundRow(NamedTuple):
    """A chunk, memory or document piece that was found; `rank` is its bm25.

    `vectors` are those of its exchanges, concatenated; `parts` is their number.
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
    visibility: str | None

    @property
    def middle(self) -> bytes | None:
        return vectors.mean(self.vectors, self.parts)

    @property
    def source(self) -> Source:
        return Source(
            type=SourceType(self.source_type),
            id=self.source_id,
            agent_id=self.agent_id,
            project=self.project,
        )
