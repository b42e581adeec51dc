"""What a reader may see of the graph, as conditions of SQL.

What is in the graph was read from memories, so it is shown to those who may read one of them. What comes from no
memory (a skill, something a client gave) is shown to everybody who sees the agent's graph.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from signet.db.visibility import Reader, readable

_ATTRIBUTE = """
(CASE WHEN {a}.source_memory_id IS NULL THEN {a}.status = 'active' ELSE EXISTS (
  SELECT 1 FROM memories m WHERE m.id = {a}.source_memory_id AND {memory}) END)"""
_ASPECT = """
(EXISTS (SELECT 1 FROM entity_attributes w WHERE w.aspect_id = s.id AND {attribute})
 OR NOT EXISTS (SELECT 1 FROM entity_attributes w WHERE w.aspect_id = s.id))"""
_ENTITY = """
(EXISTS (SELECT 1 FROM memory_entity_mentions x CROSS JOIN memories m ON m.id = x.memory_id
         WHERE x.entity_id = {e}.id AND {memory})
 OR EXISTS (SELECT 1 FROM entity_attributes w WHERE w.entity_id = {e}.id AND {attribute})
 OR NOT EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.entity_id = {e}.id)
    AND NOT EXISTS (SELECT 1 FROM entity_attributes w CROSS JOIN memories m ON m.id = w.source_memory_id
                    WHERE w.entity_id = {e}.id))"""
#: An edge does not say which memory says it: one that names both ends, where there is one. The end with fewer
#: mentions is looked through.
_BOTH = """
SELECT 1 FROM memory_entity_mentions x
CROSS JOIN memory_entity_mentions y ON y.memory_id = x.memory_id AND y.entity_id = {far}.id
CROSS JOIN memories m ON m.id = x.memory_id WHERE x.entity_id = {near}.id"""
_SAID = "(EXISTS ({both} AND {memory}) OR NOT EXISTS ({both}))"
_EDGE = """
(CASE WHEN {one}.mentions <= {other}.mentions THEN {from_one} ELSE {from_other} END
 AND {one_met} AND {other_met})"""


@dataclass(frozen=True, slots=True)
class Visible:
    """What one reader may see, as conditions of SQL with named parameters; `params` holds these and `:agent`."""

    memory: str
    params: Mapping[str, object]

    @classmethod
    def of(cls, reader: Reader) -> "Visible":
        """Return the conditions for this reader, whose agent's graph is looked at."""
        where = readable(reader)
        first, *rest = where.sql.split("?")
        named = (f":reader{number}{part}" for number, part in enumerate(rest))
        params = {f"reader{number}": value for number, value in enumerate(where.params)}
        params["agent"] = reader.agent_id
        return cls(f"m.is_deleted = 0 AND {first}{''.join(named)}", params)

    def attribute(self, alias: str = "a") -> str:
        """Return the condition on an attribute.

        One whose memory is gone is shown only while it holds: a client gave it then, and not left over from
        something forgotten.
        """
        return _ATTRIBUTE.format(a=alias, memory=self.memory)

    def aspect(self) -> str:
        """Return the condition on an aspect `s`: it is empty, or something under it may be seen."""
        return _ASPECT.format(attribute=self.attribute("w"))

    def entity(self, alias: str = "e") -> str:
        """Return the condition on an entity."""
        return _ENTITY.format(e=alias, memory=self.memory, attribute=self.attribute("w"))

    def edge(self, one: str, other: str) -> str:
        """Return the condition on an edge between two entities: both may be seen, and that they are joined too."""

        def said(near: str, far: str) -> str:
            return _SAID.format(both=_BOTH.format(near=near, far=far), memory=self.memory)

        return _EDGE.format(
            one=one,
            other=other,
            from_one=said(one, other),
            from_other=said(other, one),
            one_met=self.entity(one),
            other_met=self.entity(other),
        )
