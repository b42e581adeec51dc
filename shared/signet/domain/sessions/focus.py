"""The things that a project is about, and the rules that hold for them (spec/knowledge.md §4)."""

import json
from collections.abc import Callable, Sequence
from pathlib import PurePath

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.graph import names, traverse
from signet.domain.graph.traverse import Bounds, Entity, Walk
from signet.domain.graph.visibility import Sight

#: Parts of a path that name a project, and how many things they may name.
PATH_PARTS = 2
MOST_FOCAL = 5
MOST_PINNED = 20
#: More rules than this fit into no context.
MOST_CONSTRAINTS = 100

_SHOWN = """
NOT EXISTS (SELECT 1 FROM entity_pinning p
            WHERE p.agent_id = e.agent_id AND p.entity_id = e.id AND p.pin_type = 'suppress')"""
_OF_PATH = f"""
SELECT e.id, e.name, e.entity_type FROM json_each(:names) j
  CROSS JOIN entities e ON e.agent_id = :agent AND e.canonical_name = j.value
 WHERE {_SHOWN} AND {{seen}} ORDER BY (e.entity_type = 'project') DESC, e.mentions DESC LIMIT {MOST_FOCAL}"""
_PINNED = f"""
SELECT e.id, e.name, e.entity_type FROM entities e
 WHERE e.agent_id = :agent AND e.pinned = 1 AND {_SHOWN} AND {{seen}}
 ORDER BY e.pinned_at DESC LIMIT {MOST_PINNED}"""
_CONSTRAINTS = f"""
SELECT e.name, a.attribute_value FROM json_each(:ids) j
  CROSS JOIN entities e ON e.id = j.value
  CROSS JOIN entity_attributes a ON a.entity_id = e.id AND a.kind = 'constraint' AND a.status = 'active'
 WHERE {{seen}} ORDER BY j.key, a.importance DESC, a.id LIMIT {MOST_CONSTRAINTS}"""
_ASPECTS = """
SELECT s.id FROM entity_aspects s
 WHERE s.entity_id IN (SELECT value FROM json_each(?)) ORDER BY s.weight DESC, s.id LIMIT 20"""


def focal(tx: ReadTx, reader: Reader, *, project: str | None, words: Sequence[str]) -> list[Entity]:
    """Return what a session is about: what is pinned, then what its project names, else what its words name."""
    sight = Sight.of(reader)
    asked = {"agent": reader.agent_id, **sight.params}
    parts = PurePath(project or "").parts[-PATH_PARTS:]
    named = json.dumps([names.canonical(part) for part in reversed(parts)])
    of_path = tx.all(_OF_PATH.format(seen=sight.entity()), {**asked, "names": named})
    found = [Entity(id=row[0], name=row[1], type=row[2]) for row in of_path]
    found = found or traverse.focal(tx, words, agent_id=reader.agent_id)
    pinned = tx.all(_PINNED.format(seen=sight.entity()), asked)
    first = [Entity(id=row[0], name=row[1], type=row[2]) for row in pinned]
    return list({one.id: one for one in (*first, *found)}.values())


def walk(
    tx: ReadTx, start: Sequence[Entity], *, bounds: Bounds, expired: Callable[[], bool]
) -> Walk:
    """Return the memories around these things."""
    return traverse.walk(tx, start, bounds=bounds, expired=expired) if start else Walk()


def constraints(tx: ReadTx, reader: Reader, entities: Sequence[Entity]) -> list[tuple[str, str]]:
    """Return every rule that holds for these things and that the reader may see, as thing and rule."""
    sight = Sight.of(reader)
    listed = json.dumps([one.id for one in entities])
    rows = tx.all(_CONSTRAINTS.format(seen=sight.attribute("a")), {"ids": listed, **sight.params})
    return [(row[0], row[1]) for row in rows]


def aspects(tx: ReadTx, entities: Sequence[Entity]) -> list[str]:
    """Return the weightiest aspects of these things."""
    return [row[0] for row in tx.all(_ASPECTS, (json.dumps([one.id for one in entities]),))]
