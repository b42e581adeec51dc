"""Looking at the graph where some of its tables are missing or damaged: nothing is found then (KG-3)."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from signet.db import ReadTx
from signet.db.driver import primary_code, sqlite
from signet.observe import logs

P = ParamSpec("P")
T = TypeVar("T")

log = logs.get("memory")

#: The result codes of a statement that names what is not there, and of a damaged file
#: (https://sqlite.org/rescode.html).
_ERROR, _CORRUPT = 1, 11


def borne(
    tx: ReadTx,
    otherwise: T,
    look: Callable[Concatenate[ReadTx, P], T],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Return what the look gives, `otherwise` when the tables it needs are missing."""
    try:
        return look(tx, *args, **kwargs)
    except sqlite.DatabaseError as error:
        if primary_code(error) not in (_ERROR, _CORRUPT):
            raise
        log.warning("knowledge.table_missing", error=type(error).__name__)
        return otherwise
