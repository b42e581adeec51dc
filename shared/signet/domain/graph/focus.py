"""The entities that a project is about, and the constraints on them."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph import names, traversal
from signet.domain.graph.models import Entity
from signet.domain.graph.sql import traversal as sql
from signet.domain.graph.sql.visible import Visible
from signet.text import orders
from signet.wire.origin import Origin

#: Parts of a path that name a project, and how many entities they may name.
PATH_PARTS = 2
MOST_FOCAL = 5
MOST_PINNED = 20
#: More constraints than this fit into no context.
MOST_CONSTRAINTS = 100
MOST_ASPECTS = 20
#: A memory up to this length is told whole where a clause of it is a constraint.
WHOLE_CHARS = 300


def focal(tx: ReadTx, reader: Reader, *, project: str | None, words: Sequence[str]) -> list[Entity]:
    """Return what a session is about: what is pinned, then what its project names, else what its words name."""
    parts = PurePath(project or "").parts[-PATH_PARTS:]
    named = [names.canonical(part) for part in reversed(parts)]
    visible = Visible(tx, reader)
    found = visible.rows(Entity, sql.NAMED, names=as_list(named), limit=MOST_FOCAL)
    found = found or traversal.focal(tx, words, agent_id=reader.agent_id)
    pinned = visible.rows(Entity, sql.PINNED, limit=MOST_PINNED)
    return list({one.id: one for one in (*pinned, *found)}.values())


class EntityRule(NamedTuple):
    """A rule about an entity, and the origin of the memory that states it."""

    entity: str
    text: str
    origin: Origin


def constraints(tx: ReadTx, reader: Reader, entities: Sequence[Entity]) -> list[EntityRule]:
    """Return the constraints on these entities that the reader may see, each text once, none that steers an agent."""
    ids = as_list(one.id for one in entities)
    found = Visible(tx, reader).tuples(
        sql.CONSTRAINT_TEXTS, ids=ids, limit=MOST_CONSTRAINTS, chars=WHOLE_CHARS
    )
    by_text: dict[str, EntityRule] = {}
    for name, text, words in found:
        origin = Origin(words or Origin.IMPORTED)
        if origin is Origin.USER or not orders.steers(text):
            by_text.setdefault(text, EntityRule(name, text, origin))
    return list(by_text.values())


def aspects(tx: ReadTx, entities: Sequence[Entity]) -> list[str]:
    """Return the ids of the aspects of these entities that weigh most."""
    return tx.column(sql.TOP_ASPECTS, (as_list(one.id for one in entities), MOST_ASPECTS))
