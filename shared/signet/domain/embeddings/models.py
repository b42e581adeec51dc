"""Values of stored vectors."""

from dataclasses import dataclass
from enum import StrEnum

#: The condition that a row `m` of `memories` has a current vector, of `:model` unless that is NULL.
CURRENT = """
EXISTS (SELECT 1 FROM embeddings e
        WHERE e.source_type = 'memory' AND e.source_id = m.id AND e.ordinal = 0
          AND e.content_hash = coalesce(m.content_hash, '') AND (:model IS NULL OR e.model IS :model))
"""


class VectorSource(StrEnum):
    """What a vector describes; the strings are stored in `embeddings.source_type`."""

    MEMORY = "memory"
    SKILL = "skill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A memory whose vectors are missing or belong to another text or model."""

    memory_id: str
    content: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """How long a text rests after a failed embedding: at first, and at most; doubled each time."""

    first_seconds: int
    longest_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCoverage:
    total: int
    embedded: int

    @property
    def share(self) -> float:
        return self.embedded / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Counts of stored vectors, and of index rows (None without an index)."""

    coverage: VectorCoverage
    models: tuple[str, ...] = ()
    other_width: int = 0
    without_values: int = 0
    in_table: int = 0
    in_index: int | None = None
    #: Whether the engine of the database keeps an index.
    needs_index: bool = True
    #: Vectors missing in the index.
    unindexed: int = 0
    orphaned: int = 0
