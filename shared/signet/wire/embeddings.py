"""Vectors of memories: export, provider, health and map."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.access import AccessRule, Permission
from signet.wire.operation import Operation, get


class EmbeddedMemory(TypedDict):
    """The fields of a memory with a vector."""

    id: str
    content: str
    who: str
    importance: float
    type: str | None
    tags: list[str]
    sourceType: str
    sourceId: str
    createdAt: str


class Embedding(EmbeddedMemory):
    """A memory with its vector, which is included on request."""

    text: str
    vector: NotRequired[list[float]]


class EmbeddingPage(TypedDict):
    embeddings: list[Embedding]
    count: int
    total: int
    limit: int
    offset: int
    hasMore: bool


class EmbeddingsStatus(TypedDict):
    """Whether vectors can be created, and the tracker's progress."""

    provider: str
    model: str | None
    available: bool
    dimensions: NotRequired[int | None]
    base_url: NotRequired[str | None]
    error: NotRequired[str]
    checkedAt: str
    tracker: dict[str, Any] | None
    waitingUntil: NotRequired[str]


class Check(TypedDict):
    name: str
    #: ok, warn or fail
    status: str
    message: str
    detail: NotRequired[Any]
    fix: NotRequired[str]


class EmbeddingsHealth(TypedDict):
    """Health of the stored vectors; `score` is between 0 and 1."""

    status: str
    score: float
    checkedAt: str
    config: dict[str, Any]
    checks: list[Check]


class EmbeddingNode(EmbeddedMemory):
    x: float
    y: float
    z: NotRequired[float]
    pinned: bool


class Projection(TypedDict):
    """Memories as points in two or three dimensions; none while `status` is `computing`."""

    status: str
    dimensions: int
    count: int
    total: int
    limit: NotRequired[int]
    offset: NotRequired[int]
    hasMore: NotRequired[bool]
    nodes: NotRequired[list[EmbeddingNode]]
    edges: NotRequired[list[list[int]]]
    cachedAt: NotRequired[str | None]
    sampled: NotRequired[bool]


class ProjectionColumns(TypedDict):
    """The two-dimensional map without texts: each column has one entry per memory, newest first.

    `types` are indexes into `typeNames`; `x` and `y` are tenths, from −2,100 to 2,100.
    """

    status: str
    count: int
    total: int
    ids: list[str]
    x: list[int]
    y: list[int]
    types: list[int]
    typeNames: list[str]


EMBEDDINGS = get("/api/embeddings", access.RECALL, EmbeddingPage)
EMBEDDINGS_STATUS = get("/api/embeddings/status", access.RECALL, EmbeddingsStatus)
EMBEDDINGS_HEALTH = get("/api/embeddings/health", access.RECALL, EmbeddingsHealth)
#: Both return 202 while the map is drawn.
PROJECTION = get(
    "/api/embeddings/projection", AccessRule(Permission.RECALL), Projection, also=(202,)
)
PROJECTION_COLUMNS: Operation[ProjectionColumns | Projection] = get(
    "/api/embeddings/projection/columns",
    AccessRule(Permission.RECALL),
    (ProjectionColumns, Projection),
    also=(202,),
)
