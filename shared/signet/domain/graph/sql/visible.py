"""A reader's rights to the graph, as SQL conditions.

The graph is derived from memories: an entry is visible to those who may read one of its memories. An entry without a
memory (a skill, or one sent by a client) is visible to everyone who may see the agent's graph.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from signet.db import ReadTx
from signet.db.dialect import THEN_JOIN
from signet.db.transaction import D, N
from signet.db.visibility import Reader, readable

_ATTRIBUTE = """
(CASE WHEN {a}.source_memory_id IS NULL THEN {a}.status = 'active' ELSE EXISTS (
  SELECT 1 FROM memories m WHERE m.id = {a}.source_memory_id AND {memory}) END)"""
_ASPECT = """
(EXISTS (SELECT 1 FROM entity_attributes w WHERE w.aspect_id = {s}.id AND {attribute})
 OR NOT EXISTS (SELECT 1 FROM entity_attributes w WHERE w.aspect_id = {s}.id))"""
_ENTITY = f"""
(EXISTS (SELECT 1 FROM memory_entity_mentions x {THEN_JOIN} memories m ON m.id = x.memory_id
         WHERE x.entity_id = {{e}}.id AND {{memory}})
 OR EXISTS (SELECT 1 FROM entity_attributes w WHERE w.entity_id = {{e}}.id AND {{attribute}})
 OR NOT EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.entity_id = {{e}}.id)
    AND NOT EXISTS (SELECT 1 FROM entity_attributes w {THEN_JOIN} memories m ON m.id = w.source_memory_id
                    WHERE w.entity_id = {{e}}.id))"""
#: An edge has no memory; it is visible with a memory that names both ends. Only the memories of the end with fewer
#: mentions are read.
_BOTH = f"""
SELECT 1 FROM memory_entity_mentions x
{THEN_JOIN} memory_entity_mentions y ON y.memory_id = x.memory_id AND y.entity_id = {{far}}.id
{THEN_JOIN} memories m ON m.id = x.memory_id WHERE x.entity_id = {{near}}.id"""
_SAID = "(EXISTS ({both} AND {memory}) OR NOT EXISTS ({both}))"
_EDGE = """
(CASE WHEN {one}.mentions <= {other}.mentions THEN {from_one} ELSE {from_other} END
 AND {one_met} AND {other_met})"""


class _Condition:
    """A condition on the tables named in a statement: `{entity:e}`, `{edge:s,t}`."""

    def __init__(self, on: Callable[..., str]) -> None:
        self._on = on

    def __format__(self, aliases: str) -> str:
        return self._on(*aliases.split(","))


class Visible:
    """The part of an agent's graph that a reader may see.

    Statements mark their tables by alias: `{entity:e}`, `{attribute:a}`, `{aspect:s}`, `{memory}` for `m`, and
    `{edge:s,t}` for an edge between two entities. `:agent` is bound to the agent.
    """

    def __init__(self, tx: ReadTx, reader: Reader) -> None:
        self._tx = tx
        where = readable(reader)
        first, *rest = where.sql.split("?")
        named = (f":reader{number}{part}" for number, part in enumerate(rest))
        self._memory = f"m.is_deleted = 0 AND {first}{''.join(named)}"
        self._params = {f"reader{number}": value for number, value in enumerate(where.params)}
        self._params["agent"] = reader.agent_id

    def rows(self, shape: type[N], statement: str, **asked: object) -> list[N]:
        return self._tx.rows(shape, _filled(statement, self._memory), {**asked, **self._params})

    def records(self, shape: type[D], statement: str, **asked: object) -> list[D]:
        return self._tx.records(shape, _filled(statement, self._memory), {**asked, **self._params})

    def tuples(self, statement: str, **asked: object) -> list[tuple[Any, ...]]:
        return self._tx.tuples(_filled(statement, self._memory), {**asked, **self._params})

    def value(self, statement: str, **asked: object) -> Any:
        return self._tx.value(_filled(statement, self._memory), {**asked, **self._params})


@lru_cache(256)
def _filled(statement: str, memory: str) -> str:
    """Return a statement with its conditions; a reader's are the same for each question."""
    shown = _Conditions(memory)
    return statement.format(
        memory=memory,
        attribute=_Condition(shown.attribute),
        aspect=_Condition(shown.aspect),
        entity=_Condition(shown.entity),
        edge=_Condition(shown.edge),
    )


class _Conditions(NamedTuple):
    """The conditions on rows of the graph, by that on a memory."""

    memory: str

    def attribute(self, alias: str) -> str:
        """Return the condition on an attribute; one without a memory (from a client) is visible while it is active."""
        return _ATTRIBUTE.format(a=alias, memory=self.memory)

    def aspect(self, alias: str) -> str:
        """Return the condition on an aspect: it is empty, or has a visible attribute."""
        return _ASPECT.format(s=alias, attribute=self.attribute("w"))

    def entity(self, alias: str) -> str:
        return _ENTITY.format(e=alias, memory=self.memory, attribute=self.attribute("w"))

    def edge(self, one: str, other: str) -> str:
        """Return the condition on an edge: both ends and their connection are visible."""

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
