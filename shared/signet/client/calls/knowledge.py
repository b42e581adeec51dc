"""What is known of people, projects, tools and other things."""

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import knowledge as wire
from signet.wire.knowledge import (
    EntityPage,
    Expanded,
    Impact,
    KnowledgeStats,
    Pinned,
    WholeEntity,
)


class KnowledgeCalls:
    """What is known of people, projects, tools and other things."""

    @method
    def entities(
        self,
        *,
        query: str | None = None,
        type: str | None = None,
        limit: int = 50,
        offset: int = 0,
        agent_id: str | None = None,
    ) -> Call[EntityPage]:
        """Return things that memories speak of; `query` is a part of their names."""
        return ask(
            wire.ENTITIES,
            q=query,
            type=type,
            limit=limit,
            offset=offset,
            agent_id=agent_id,
        )

    @method
    def entity(self, entity_id: str, *, agent_id: str | None = None) -> Call[WholeEntity]:
        """Return one thing; raises NotFound."""
        return ask(wire.ENTITY, entity_id, agent_id=agent_id)

    @method
    def expand(
        self,
        name: str,
        *,
        aspect: str | None = None,
        question: str | None = None,
        max_tokens: int = 2_000,
        agent_id: str | None = None,
    ) -> Call[Expanded]:
        """Return all that is known of a thing by its name, what answers the question first; raises NotFound."""
        body = {
            "entity": name,
            "aspect": aspect,
            "question": question,
            "maxTokens": max_tokens,
            "agentId": agent_id,
        }
        return ask(wire.EXPAND, body=body, is_safe=True)

    @method
    def impact(
        self,
        entity_id: str,
        *,
        direction: str = "downstream",
        max_depth: int = 3,
        agent_id: str | None = None,
    ) -> Call[Impact]:
        """Return what depends on a thing, or with `upstream` what it depends on; raises NotFound."""
        body = {
            "entityId": entity_id,
            "direction": direction,
            "maxDepth": max_depth,
            "agentId": agent_id,
        }
        return ask(wire.IMPACT, body=body, is_safe=True)

    @method
    def knowledge_stats(self, *, agent_id: str | None = None) -> Call[KnowledgeStats]:
        """Return how much is known."""
        return ask(wire.KNOWLEDGE_STATS, agent_id=agent_id)

    @method
    def pin_entity(self, entity_id: str, *, agent_id: str | None = None) -> Call[Pinned]:
        """Let a thing count as important whatever is said of it; raises NotFound."""
        return ask(wire.PIN_ENTITY, entity_id, body={"agentId": agent_id}, is_safe=True)

    @method
    def unpin_entity(self, entity_id: str, *, agent_id: str | None = None) -> Call[Pinned]:
        """Let a thing count as its mentions say; raises NotFound."""
        return ask(wire.UNPIN_ENTITY, entity_id, agent_id=agent_id)
