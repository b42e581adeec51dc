"""Values of summaries: jobs, notes, facts and scores."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.domain.transcripts.models import Session

#: A distilled fact never outweighs a memory that a person asked to save (PIP-41).
MOST_IMPORTANT = 0.5
USUAL_IMPORTANCE = 0.3
#: Facts of a session read in one piece, and of each part of a longer one (PIP-39).
MAX_FACTS = 15
MAX_PART_FACTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryJob:
    """A session to summarise: its text in the version of `chars` characters, or a part of it."""

    job_id: str
    session: Session
    #: Times of its last and first messages; without times in the transcript, those of the delivery.
    ended_at: datetime
    started_at: str
    asked_at: datetime
    chars: int
    is_part: bool

    @property
    def day(self) -> str:
        return clock.local(self.ended_at).date().isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One fact of a session."""

    content: str
    type: str = "fact"
    importance: float = USUAL_IMPORTANCE
    tags: tuple[str, ...] = ()
    #: The time of the message (ISO, UTC) and its sentence, if known.
    said_at: str | None = None
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Notes of a session: Markdown for people, facts for recall, and a model's `topic`."""

    summary: str
    topic: str | None = None
    facts: tuple[Said, ...] = ()


class Summary(NamedTuple):
    id: str
    content: str
    earliest_at: str
    latest_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well recall served a session, as judged by a model."""

    score: float
    confidence: float
    used: int
    novel: int
    reasoning: str
    #: Relevance of memories by ID, 0..1.
    relevance: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """The job that reads a session; not `is_open` if it is done and nothing is new."""

    job_id: str
    is_open: bool = True
