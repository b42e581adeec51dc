"""Vectors: how they are, and where they put memories."""

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import embeddings as wire
from signet.wire.embeddings import EmbeddingPage, EmbeddingsHealth, EmbeddingsStatus, Projection


class EmbeddingCalls:
    """Vectors: how they are, and where they put memories."""

    @method
    def embeddings(
        self,
        *,
        limit: int = 600,
        offset: int = 0,
        vectors: bool = False,
        agent_id: str | None = None,
    ) -> Call[EmbeddingPage]:
        """Return a page of the memories that have a vector, newest first; `vectors` adds the numbers."""
        return ask(
            wire.EMBEDDINGS,
            limit=limit,
            offset=offset,
            vectors=vectors or None,
            agent_id=agent_id,
        )

    @method
    def embeddings_status(self) -> Call[EmbeddingsStatus]:
        """Return whether vectors can be made, and how far the tracker is."""
        return ask(wire.EMBEDDINGS_STATUS)

    @method
    def embeddings_health(self, *, agent_id: str | None = None) -> Call[EmbeddingsHealth]:
        """Return how good the stored vectors are, check by check."""
        return ask(wire.EMBEDDINGS_HEALTH, agent_id=agent_id)

    @method
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
    ) -> Call[Projection]:
        """Return memories as points in 2 or 3 dimensions; `status` is `computing` until they are there.

        `who`, `types` and `tags` are comma lists.
        """
        return ask(
            wire.PROJECTION,
            dimensions=dimensions,
            limit=limit,
            offset=offset,
            q=query,
            who=who,
            types=types,
            tags=tags,
            pinned=pinned,
            since=since,
            until=until,
            agent_id=agent_id,
        )
