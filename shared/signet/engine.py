"""Which engine a database is on: a file of SQLite, or a server of PostgreSQL.

Everything names a database by the path of its file in the workspace. With `storage.url` the rows are on a server, and
this process remembers the address for that path.
"""

import importlib.util
from pathlib import Path

from signet.errors import Invalid

_URLS: dict[Path, str] = {}
_PROBLEMS: dict[Path, str] = {}
_OPEN: set[Path] = set()


class StorageUnclear(Invalid, code="storage_unclear"):
    """The settings do not say clearly where the database is."""


def use(database: Path, url: str | None, *, problem: str | None = None) -> None:
    """Keep the rows of this database at a PostgreSQL address; None: in its file.

    With a `problem` nothing can be opened: a memory must not be split between a file and a server.
    """
    place = database.absolute()
    if url and not problem:
        problem = missing_packages()
    for kept, value in ((_URLS, url), (_PROBLEMS, problem)):
        if value:
            kept[place] = value
        else:
            kept.pop(place, None)


def url_of(database: Path) -> str | None:
    """Return the address of a database on a server, None for a file; raises StorageUnclear."""
    if not (_URLS or _PROBLEMS):
        return None
    place = database.absolute()
    if place in _PROBLEMS:
        raise StorageUnclear(f"Nothing was opened: {_PROBLEMS[place]}")
    return _URLS.get(place)


def used(database: Path) -> str | None:
    """Return the address that this process uses for a database, None for a file or an unclear place."""
    return _URLS.get(database.absolute())


def missing_packages() -> str | None:
    """Return what to install to use a server, None if all is there."""
    names = [name for name in ("psycopg", "sqlglot") if importlib.util.find_spec(name) is None]
    if not names:
        return None
    return (
        f"storage.url needs {' and '.join(names)}, not installed. Install: pip install 'signetai[postgres]';"
        " in a checkout: pip install '.[postgres]'"
    )


def keep(database: Path, *, is_open: bool) -> None:
    """Note that this process has opened a database, or closed it: until then settings change nothing for it."""
    (_OPEN.add if is_open else _OPEN.discard)(database.absolute())


def is_kept(database: Path) -> bool:
    """Return whether this process has opened a database and not closed it."""
    return database.absolute() in _OPEN


def exists(database: Path) -> bool:
    """Return whether there is a file, or a server to ask."""
    return url_of(database) is not None or database.exists()
