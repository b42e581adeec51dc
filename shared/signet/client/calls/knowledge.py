"""The knowledge graph: people, projects, tools and other entities."""

from signet.client.method import asks
from signet.wire import knowledge as wire


class KnowledgeCalls:
    """The knowledge graph: people, projects, tools and other entities."""

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
        """Return entities; `query` is part of their names."""

    @asks(wire.ENTITY)
    def entity(self, entity_id: str, *, agent_id: str | None = None) -> wire.WholeEntity:
        """Return one entity; raises NotFound."""

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
        """Return an entity's attributes by its name, best for the question first; raises NotFound."""

    @asks(wire.IMPACT, is_safe=True)
    def impact(
        self,
        entity_id: str,
        *,
        direction: str = "downstream",
        max_depth: int = 3,
        agent_id: str | None = None,
    ) -> wire.Impact:
        """Return an entity's dependents, or with `upstream` its dependencies; raises NotFound."""

    @asks(wire.KNOWLEDGE_STATS)
    def knowledge_stats(self, *, agent_id: str | None = None) -> wire.KnowledgeStats:
        """Return counts of the graph."""

    @asks(wire.PIN_ENTITY, is_safe=True)
    def pin_entity(self, entity_id: str, *, agent_id: str | None = None) -> wire.Pinned:
        """Mark an entity as important, regardless of its mentions; raises NotFound."""

    @asks(wire.UNPIN_ENTITY)
    def unpin_entity(self, entity_id: str, *, agent_id: str | None = None) -> wire.Pinned:
        """Rank an entity by its mentions again; raises NotFound."""
