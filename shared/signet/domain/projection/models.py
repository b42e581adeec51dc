"""Requests for maps, and maps."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self

#: A map shows at most this many memories, the newest (EM-13).
MOST = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MapView:
    """A requested map: the agent, dimensions, and filters; None or empty matches all. Times are in stored form."""

    agent_id: str
    dimensions: int = 2
    limit: int | None = None
    offset: int = 0
    q: str = ""
    who: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    pinned: bool | None = None
    since: str | None = None
    until: str | None = None
    importance_min: float | None = None
    importance_max: float | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether it shows all memories, without filter and page (EM-9)."""
        return self == MapView(agent_id=self.agent_id, dimensions=self.dimensions)

    @property
    def size(self) -> int:
        return MOST if self.limit is None else min(self.limit, MOST)

    @property
    def key(self) -> int:
        text = json.dumps(self.payload(), sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")

    def payload(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_payload(cls, payload: Mapping[str, object]) -> Self:
        lists = {name: tuple(value) for name, value in payload.items() if isinstance(value, list)}
        return cls(**{**payload, **lists})  # type: ignore[arg-type]  # what payload() wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class MapExtent:
    """The number and form of the vectors for a map, and a stamp that changes with them."""

    total: int
    dimensions: int = 0
    model: str | None = None
    stamp: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """Memories in order, the place of each, and the connected pairs of positions."""

    stamp: str
    ids: tuple[str, ...]
    places: tuple[tuple[float, ...], ...]
    edges: tuple[tuple[int, int], ...]
    cached_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    error: str
    at: str
