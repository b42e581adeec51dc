"""What is known of people, projects, tools and other things."""

from signet.client.method import asks
from signet.wire import knowledge as wire


class KnowledgeCalls:
    """What is known of people, projects, tools and other things."""

    @asks(wire.ENTITIES, names={"query": "q"})
    def entities(
        self,
        *,
        query: str | None = None,
        type: str | None = None,
        limit: int = 50,
        offset: int = 0,
        agent_id: str | None = None,
    ) -> wire.EntityPage:
        """Return things that memories speak of; `query` is a part of their names."""

    @asks(wire.ENTITY)
    def entity(self, entity_id: str, *, agent_id: str | None = None) -> wire.WholeEntity:
        """Return one thing; raises NotFound."""

    @asks(wire.EXPAND, names={"name": "entity"}, is_safe=True)
    def expand(
        self,
        name: str,
        *,
        aspect: str | None = None,
        question: str | None = None,
        max_tokens: int = 2_000,
        agent_id: str | None = None,
    ) -> wire.Expanded:
        """Return all that is known of a thing by its name, what answers the question first; raises NotFound."""

    @asks(wire.IMPACT, is_safe=True)
    def impact(
        self,
        entity_id: str,
        *,
        direction: str = "downstream",
        max_depth: int = 3,
        agent_id: str | None = None,
    ) -> wire.Impact:
        """Return what depends on a thing, or with `upstream` what it depends on; raises NotFound."""

    @asks(wire.KNOWLEDGE_STATS)
    def knowledge_stats(self, *, agent_id: str | None = None) -> wire.KnowledgeStats:
        """Return how much is known."""

    @asks(wire.PIN_ENTITY, is_safe=True)
    def pin_entity(self, entity_id: str, *, agent_id: str | None = None) -> wire.Pinned:
        """Let a thing count as important whatever is said of it; raises NotFound."""

    @asks(wire.UNPIN_ENTITY)
    def unpin_entity(self, entity_id: str, *, agent_id: str | None = None) -> wire.Pinned:
        """Let a thing count as its mentions say; raises NotFound."""
