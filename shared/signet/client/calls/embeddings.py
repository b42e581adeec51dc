"""Vectors: their health, and the map of memories."""

from signet.client.method import asks
from signet.wire import embeddings as wire


class EmbeddingCalls:
    """Vectors: their health, and the map of memories."""

    @asks(wire.EMBEDDINGS)
    def embeddings(
        self,
        *,
        limit: int = 600,
        offset: int = 0,
        vectors: bool = False,
        agent_id: str | None = None,
    ) -> wire.EmbeddingPage:
        """Return a page of memories with a vector, newest first; `vectors` adds the numbers."""

    @asks(wire.EMBEDDINGS_STATUS)
    def embeddings_status(self) -> wire.EmbeddingsStatus:
        """Return whether vectors can be created, and the tracker's progress."""

    @asks(wire.EMBEDDINGS_HEALTH)
    def embeddings_health(self, *, agent_id: str | None = None) -> wire.EmbeddingsHealth:
        """Return the health of the stored vectors, check by check."""

    @asks(wire.PROJECTION_COLUMNS, kind=wire.ProjectionColumns)
    def projection_columns(self, *, agent_id: str | None = None) -> wire.ProjectionColumns:
        """Return the map of all memories as columns without texts; `status` is `computing` while it is drawn."""

    @asks(wire.PROJECTION, names={"query": "q"})
    def projection(
        self,
        *,
        dimensions: int = 2,
        limit: int | None = None,
        offset: int | None = None,
        query: str | None = None,
        who: str | None = None,
        types: str | None = None,
        tags: str | None = None,
        pinned: bool | None = None,
        since: str | None = None,
        until: str | None = None,
        agent_id: str | None = None,
    ) -> wire.Projection:
        """Return memories as points in 2 or 3 dimensions; `status` is `computing` until they are ready.

        `who`, `types` and `tags` are comma-separated.
        """
