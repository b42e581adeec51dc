"""What extraction and decision produce, and how far the pipeline may go. Plain values."""

from dataclasses import dataclass, field
from enum import StrEnum

from signet.config import Settings
from signet.domain.graph.models import Triple

#: Types a fact may have; anything else a model says becomes `fact`.
FACT_TYPES = frozenset(
    "fact preference decision rationale procedural semantic daily-log episodic system".split()
)

MIN_FACT_CHARS = 10
MAX_FACT_CHARS = 2_000
MAX_FACTS = 20
MAX_TRIPLES = 50
MAX_INPUT_CHARS = 12_000


class Mode(StrEnum):
    """How far the pipeline may go; the strings are what /api/pipeline/status shows."""

    DISABLED = "disabled"
    FROZEN = "frozen"
    SHADOW = "shadow"
    CONTROLLED_WRITE = "controlled-write"


def mode_of(settings: Settings) -> Mode:
    """Return how far the pipeline may go."""
    pipeline = settings.pipeline
    if not pipeline.enabled:
        return Mode.DISABLED
    if pipeline.mutations_frozen:
        return Mode.FROZEN
    return Mode.SHADOW if pipeline.shadow_mode else Mode.CONTROLLED_WRITE


class Action(StrEnum):
    """What to do with a fact, given the memories it resembles."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One statement that can be read without the conversation it came from."""

    content: str
    type: str
    confidence: float
    #: When it was said (ISO, UTC), where a transcript tells, and in which sentence. Neither makes two facts different.
    said_at: str | None = field(default=None, compare=False)
    sentence: str = field(default="", compare=False)
    #: Whether its source contains its names and numbers; a person decides about a fact without (PIP-64).
    is_grounded: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """All that one reading of one text gave, and what was dropped on the way.

    `failure` says, with its code first, why the model did not read a text (or a part of it); `reader` who did then.
    """

    facts: tuple[Fact, ...] = ()
    triples: tuple[Triple, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do with one fact; `target_id` is what is updated or deleted, or says the same already.

    `problem` says why a model's answer could not be used, when the rules decided instead.
    """

    action: Action
    target_id: str | None
    confidence: float
    reason: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMemory:
    """A memory that resembles a fact; `similarity` is the cosine 0..1 of their vectors, 0 without them."""

    id: str
    type: str
    content: str
    version: int = 0
    similarity: float = 0.0
