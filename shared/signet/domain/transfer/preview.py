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

from signet.db import WriteTx, copying
from signet.db.driver import connect
from signet.domain.transfer import take
from signet.domain.transfer.kinds import KINDS
from signet.domain.transfer.records import Outcome, Record
from signet.domain.transfer.take import How
from signet.domain.transfer.texts import Text
from signet.errors import Invalid

#: A file that nobody has written to for so long belongs to a run that broke off.
LEFT_SECONDS = 3_600

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
        copying.overlay(connection, database, _TABLES)
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
