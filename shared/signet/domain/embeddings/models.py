"""Values of stored vectors."""

from dataclasses import dataclass
from enum import StrEnum


class SourceType(StrEnum):
    """What a vector describes; the strings are stored in `embeddings.source_type`."""

    MEMORY = "memory"
    SKILL = "skill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A memory whose vectors are missing or describe another text or model."""

    memory_id: str
    content: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many active memories there are, and how many of them have a vector."""

    total: int
    embedded: int

    @property
    def share(self) -> float:
        """Return the embedded share 0..1; 1 when there is nothing to embed."""
        return self.embedded / self.total if self.total else 1.0
