"""A dry run: the very same import, into a small database laid over the real one.

The preview is a file of its own that holds the keys and rows which would be new. It outlives a request, because an
import is many of them, and goes with the last one; what a broken run has left goes with the next.
"""

import re
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from signet.db import WriteTx
from signet.db.driver import Connection, connect
from signet.domain.transfer import take
from signet.domain.transfer.kinds import KINDS
from signet.domain.transfer.records import Outcome, Record
from signet.domain.transfer.take import How
from signet.domain.transfer.target import STORE
from signet.domain.transfer.texts import Text
from signet.errors import Invalid

#: A file that nobody has written to for so long belongs to a run that broke off.
LEFT_SECONDS = 3_600

_SCHEMA = """
SELECT sql FROM store.sqlite_master WHERE sql IS NOT NULL AND tbl_name IN ({})
   AND (type = 'table' OR (type = 'index' AND (sql LIKE '%UNIQUE%' OR name LIKE '%superseded%')))
 ORDER BY type = 'index'
"""
_TABLES = (*(kind.table for kind in KINDS.values()), "import_aliases", "embeddings")


def preview(
    database: Path,
    folder: Path,
    run: str,
    records: Sequence[Record | Text],
    *,
    how: How,
    now: datetime,
) -> list[Outcome]:
    """Return what would become of records after those of the same `run` before. Raises Invalid for a bad name."""
    path = _path(folder, run)
    if not path.exists():
        _sweep(folder)
    with closing(connect(path)) as connection:
        _prepare(connection, database)
        connection.execute("BEGIN IMMEDIATE")
        found = take.take(WriteTx(connection), records, how=how, now=now, is_preview=True)
        connection.execute("COMMIT")
    return found


def end(folder: Path, run: str) -> None:
    """Remove what a run has left."""
    for path in folder.glob(f"{_path(folder, run).name}*"):
        path.unlink(missing_ok=True)


def _path(folder: Path, run: str) -> Path:
    if not re.fullmatch(r"[0-9a-f-]{8,64}", run):
        raise Invalid("preview must have 8 to 64 hex digits and dashes")
    return folder / f"import-{run}.preview"


def _sweep(folder: Path) -> None:
    for left in folder.glob("import-*.preview*"):
        if time.time() - left.stat().st_mtime > LEFT_SECONDS:
            left.unlink(missing_ok=True)


def _prepare(connection: Connection, database: Path) -> None:
    """Attach the real database, and give the preview its tables with what makes rows unique."""
    connection.execute("PRAGMA synchronous = OFF")
    quoted = str(database.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection.execute(f"ATTACH ? AS {STORE}", (f"file:{quoted}?mode=ro",))
    if connection.execute("SELECT 1 FROM main.sqlite_master").fetchone() is None:
        marks = ", ".join("?" * len(_TABLES))
        for (sql,) in connection.execute(_SCHEMA.format(marks), _TABLES).fetchall():
            connection.execute(sql)
