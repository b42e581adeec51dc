"""The things that a project is about, and the rules that hold for them (spec/knowledge.md §4)."""

from collections.abc import Callable, Sequence
from pathlib import PurePath

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.graph import names, traverse
from signet.domain.graph.traverse import Bounds, Entity, Walk
from signet.domain.sessions.sql import entities as sql

#: Parts of a path that name a project.
PATH_PARTS = 2


def focal(tx: ReadTx, reader: Reader, *, project: str | None, words: Sequence[str]) -> list[Entity]:
    """Return what a session is about: what is pinned, then what its project names, else what its words name."""
    parts = PurePath(project or "").parts[-PATH_PARTS:]
    found = sql.named(tx, reader, [names.canonical(part) for part in reversed(parts)])
    found = found or traverse.focal(tx, words, agent_id=reader.agent_id)
    return list({one.id: one for one in (*sql.pinned(tx, reader), *found)}.values())


def walk(
    tx: ReadTx, start: Sequence[Entity], *, bounds: Bounds, expired: Callable[[], bool]
) -> Walk:
    """Return the memories around these things."""
    return traverse.walk(tx, start, bounds=bounds, expired=expired) if start else Walk()


def constraints(tx: ReadTx, reader: Reader, entities: Sequence[Entity]) -> list[tuple[str, str]]:
    """Return every rule that holds for these things and that the reader may see, as thing and rule."""
    return sql.constraints(tx, reader, [one.id for one in entities])


def aspects(tx: ReadTx, entities: Sequence[Entity]) -> list[str]:
    """Return the weightiest aspects of these things."""
    return sql.aspects(tx, [one.id for one in entities])
