"""Reading the graph where some of its tables are missing: nothing is found then (KG-3)."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from signet.db import ReadTx
from signet.db.dialect import TABLES
from signet.db.driver import sqlite
from signet.observe import logs

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")

log = logs.get("memory")

NEEDED = frozenset(
    (
        "entities",
        "entities_fts",
        "memory_entity_mentions",
        "entity_aspects",
        "entity_attributes",
        "entity_dependencies",
        "entity_pinning",
        "entity_communities",
        "community_runs",
        "task_meta",
        "skill_meta",
    )
)


def tolerate_missing_tables(
    tx: ReadTx,
    otherwise: U,
    look: Callable[Concatenate[ReadTx, P], T],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T | U:
    """Return what `look` returns, `otherwise` when it fails while tables of the graph are missing."""
    try:
        return look(tx, *args, **kwargs)
    except sqlite.OperationalError:
        missing = NEEDED - {row[0] for row in tx.tuples(TABLES)}
        if not missing:
            raise
        log.warning("knowledge.tables_missing", tables=sorted(missing))
        return otherwise
