"""Vectors: how they are, and where they put memories."""

from signet.client.method import asks
from signet.wire import embeddings as wire


class EmbeddingCalls:
    """Vectors: how they are, and where they put memories."""

    @asks(wire.EMBEDDINGS)
    def embeddings(
        self,
        *,
        limit: int = 600,
        offset: int = 0,
        vectors: bool = False,
        agent_id: str | None = None,
    ) -> wire.EmbeddingPage:
        """Return a page of the memories that have a vector, newest first; `vectors` adds the numbers."""

    @asks(wire.EMBEDDINGS_STATUS)
    def embeddings_status(self) -> wire.EmbeddingsStatus:
        """Return whether vectors can be made, and how far the tracker is."""

    @asks(wire.EMBEDDINGS_HEALTH)
    def embeddings_health(self, *, agent_id: str | None = None) -> wire.EmbeddingsHealth:
        """Return how good the stored vectors are, check by check."""

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
        """Return memories as points in 2 or 3 dimensions; `status` is `computing` until they are there.

        `who`, `types` and `tags` are comma lists.
        """
