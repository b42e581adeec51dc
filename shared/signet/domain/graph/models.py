"""What the graph is told to write."""

from typing import Protocol

#: An entity whose type nobody has told yet; a real type replaces these (KG-5).
EXTRACTED = "extracted"
UNKNOWN = "unknown"
#: The entity that ties the pieces of a long text together (MEM-12).
CHUNK_GROUP = "chunk_group"
SKILL = "skill"


class Triple(Protocol):
    """A named thing, how it relates, and the other named thing; confidence is 0..1."""

    @property
    def source(self) -> str: ...
    @property
    def source_type(self) -> str: ...
    @property
    def relationship(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def target_type(self) -> str: ...
    @property
    def confidence(self) -> float: ...
