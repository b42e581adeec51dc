"""What SQLite writes in its own way, by name, for the `sql.py` of each noun.

A list is one parameter, so that a statement is one text for lists of any length: `f"WHERE id IN {LIST}"` with
`as_list(ids)`. A second database engine would have its own words for what is here, in `fts.py` and in `vectors.py`.
"""

import json
from collections.abc import Iterable

#: The names of all tables.
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"

#: The values of a list that is bound as one parameter, for `IN`.
LIST = "(SELECT value FROM json_each(?))"


def list_of(parameter: str) -> str:
    """Return `LIST` for a named or numbered parameter, such as `:ids` or `?2`."""
    return f"(SELECT value FROM json_each({parameter}))"


def list_rows(parameter: str = "?") -> str:
    """Return a bound list as a table, for `FROM`: `value`, and `key`, its place from 0."""
    return f"json_each({parameter})"


def as_list(values: Iterable[str | int | float]) -> str:
    """Return what is bound where a statement has `LIST`, `list_of` or `list_rows`."""
    return json.dumps(list(values))
