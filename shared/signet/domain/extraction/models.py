"""Values of extraction and decision, and the modes of the pipeline."""

from dataclasses import dataclass, field
from enum import StrEnum

from signet.config import Settings
from signet.domain.graph.models import Triple

#: Types a fact may have; any other type from a model becomes `fact`.
FACT_TYPES = frozenset(
    "fact preference decision rationale procedural semantic daily-log episodic system".split()
)

MIN_FACT_CHARS = 10
MAX_FACT_CHARS = 2_000
MAX_FACTS = 20
MAX_TRIPLES = 50
MAX_INPUT_CHARS = 12_000


class Mode(StrEnum):
    """How far the pipeline may go; /api/pipeline/status shows these strings."""

    DISABLED = "disabled"
    FROZEN = "frozen"
    SHADOW = "shadow"
    CONTROLLED_WRITE = "controlled-write"


def mode_of(settings: Settings) -> Mode:
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
    """A statement that is understood without its conversation."""

    content: str
    type: str
    confidence: float
    #: The time of the message (ISO, UTC), if a transcript states it, and the sentence. Neither distinguishes two facts.
    said_at: str | None = field(default=None, compare=False)
    sentence: str = field(default="", compare=False)
    #: Whether the source contains its names and numbers; otherwise a person decides about it (PIP-64).
    is_grounded: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """The result of extracting from one text, and the warnings about dropped parts.

    `failure` is why the model did not read a text or a part of it, with its code first; `reader` is what read it
    instead.
    """

    facts: tuple[Fact, ...] = ()
    triples: tuple[Triple, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision about one fact; `target_id` is the memory to update or delete, or the one that already says it.

    `problem` is why a model's answer was unusable, if the rules decided instead.
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
