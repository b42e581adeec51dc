"""The columns of a table as the database describes them, so that what an upgrade adds is carried too."""

import ast
import re
from dataclasses import dataclass

from signet.db import ReadTx


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: what it is called, its declared type, whether it may be null, and its value when none is given."""

    name: str
    type: str
    needed: bool
    default: str | int | float | None


def columns_of(tx: ReadTx, table: str) -> list[Column]:
    """Return the columns of a table in their order."""
    return [
        Column(
            name=row["name"],
            type=row["type"].upper(),
            needed=bool(row["notnull"] or row["pk"]),
            default=_literal(row["dflt_value"]),
        )
        for row in tx.all(f"PRAGMA table_info({table})")
    ]


def _literal(sql: str | None) -> str | int | float | None:
    """Return the value of a default, None for one that is worked out."""
    if sql is None or not re.fullmatch(r"'[^']*'|-?[0-9.]+", sql):
        return None
    value = ast.literal_eval(sql)
    return value if isinstance(value, str | int | float) else None
