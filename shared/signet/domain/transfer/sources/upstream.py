"""Database files: of the earlier TypeScript program at any of its versions, and our own.

The file is copied and the copy is brought to our schema as an adopted workspace would be (alembic/versions/0001_first),
so there is one translation of the older rows. What is read then are the rows of an export. The file itself is only
read, and may be in use.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from signet.db import ReadTx, WriteTx, copying, migrate
from signet.db.driver import connect, sqlite
from signet.domain.transcripts import stored
from signet.domain.transfer import export
from signet.domain.transfer.records import END, Found, Record
from signet.domain.transfer.sources.source import Format, Source
from signet.errors import Invalid


@contextlib.contextmanager
def read(path: Path, now: datetime) -> Iterator[Source]:
    """Open a database file. Raises Invalid for a file that is none, MigrationFailed for one that is damaged."""
    with tempfile.TemporaryDirectory(prefix="signet-import-") as folder:
        copy = Path(folder) / "memories.db"
        _copy(path, copy)
        migrate.upgrade(copy, now=now)
        with contextlib.closing(connect(copy)) as connection:
            stored.copy_from_jobs(WriteTx(connection))
            tx, scope = ReadTx(connection), export.Scope()
            first = export.page(tx, scope, None, now=now)
            [header] = first.records
            counts = header["counts"]
            assert isinstance(counts, dict)
            yield Source(
                format=Format.UPSTREAM,
                records=_records(tx, scope, first.cursor, now),
                total=sum(counts.values()),
                unit="rows",
            )


def _copy(path: Path, copy: Path) -> None:
    """Copy what is committed. Where SQLite may not put its lock beside the file, nobody writes to it either."""
    try:
        try:
            with (
                contextlib.closing(connect(path, read_only=True)) as old,
                contextlib.closing(connect(copy)) as new,
            ):
                old.backup(new)
        except sqlite.OperationalError:
            for end in ("", "-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{end}", f"{copy}{end}")
        with contextlib.closing(connect(copy)) as new:
            tables = copying.tables(new)
    except sqlite.DatabaseError as error:
        raise Invalid(f"{path} cannot be read as a database: {error}") from error
    if "memories" not in tables:
        raise Invalid(f"{path} is a database without memories")


def _records(tx: ReadTx, scope: export.Scope, cursor: str | None, now: datetime) -> Iterator[Found]:
    done = 0
    while cursor is not None:
        page = export.page(tx, scope, cursor, now=now)
        for record in page.records:
            done += 1
            if record["record"] != END:
                yield Found(where=_where(record), done=done, value=record)
        cursor = page.cursor


def _where(record: Record) -> str:
    return f"{record['record']} {record.get('id', '')}".strip()
