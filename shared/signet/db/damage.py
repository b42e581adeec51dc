"""Damage of the database: findings are stored next to the file, for all processes, the next start and people.

Restoring a backup moves the note away together with the file.

A damaged file does not show what is missing. So each start compares it with two witnesses: the index of the write-ahead
log (`-shm`) counts the frames that the log had, and the mark is the number of the newest change of a memory.
"""

import contextlib
import json
import os
import struct
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from signet import clock, files
from signet.db import snapshot
from signet.db.driver import Connection, connect, says_damage, sqlite
from signet.errors import StorageDamaged
from signet.paths import Workspace
from signet.text import json_text

WAY_BACK = "Restore a backup: signet backup list, then: signet restore FILE"
_NEWEST = "SELECT number, token FROM memory_changes ORDER BY number DESC LIMIT 1"
_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'memories'"
_TOKEN = "SELECT token FROM memory_changes WHERE number = ?"
#: The first header of the log's index, and how many of its frames are in the database file (walformat.html, 2.1).
_INDEX = struct.Struct("=IIIBBHII8s8s8s")
_MOVED, _MOVED_AT = struct.Struct("=I"), 96


class DamageKind(StrEnum):
    """`DAMAGED`: the file cannot be read in full. `LOST`: it can, but stored changes are missing."""

    DAMAGED = "damaged"
    LOST = "lost"


class Damage(NamedTuple):
    """A finding and its time (seconds since 1970)."""

    kind: DamageKind
    what: str
    at: float

    @property
    def message(self) -> str:
        """Return the finding and how to recover."""
        if self.kind is DamageKind.DAMAGED:
            return f"the database is damaged ({self.what}). {WAY_BACK}"
        return f"{self.what}. {WAY_BACK}. To accept the loss: signet doctor --fix"


def path_of(database: Path) -> Path:
    return database.with_name(f"{database.name}.damage")


def note(database: Path, kind: DamageKind, what: str) -> None:
    """Record damage; the first note stays, except that a damaged file replaces lost changes."""
    known = read(database)
    if known is not None and (known.kind is DamageKind.DAMAGED or kind is DamageKind.LOST):
        return
    found = Damage(kind, what, time.time())
    with contextlib.suppress(OSError):  # a full or read-only disk raises its own error
        files.replace_file(path_of(database), json.dumps(found._asdict()).encode())


def note_error(connection: Connection, error: BaseException) -> None:
    """Record an error about to be ignored, if it means that the file is damaged."""
    if says_damage(error):
        with contextlib.suppress(sqlite.Error):
            (_, _, path) = connection.execute("PRAGMA database_list").fetchone()
            note(Path(path), DamageKind.DAMAGED, str(error))


def read(database: Path) -> Damage | None:
    """Return the stored finding, None for a healthy database."""
    place = path_of(database)
    if not place.exists():
        return None
    found = json_text.an_object(files.read_small(place) or b"") or {}
    try:
        return Damage(DamageKind(found["kind"]), str(found["what"]), float(found["at"]))
    except (KeyError, ValueError, TypeError):
        return Damage(DamageKind.DAMAGED, "its note cannot be read", 0.0)


def accept(database: Path) -> str:
    """Continue without the lost changes, and return what was lost."""
    known = read(database)
    path_of(database).unlink(missing_ok=True)
    return known.what if known else "nothing was lost"


def examine(database: Path, stop: Callable[[], bool]) -> None:
    """Read the whole file and record its faults, or that a recorded damage is gone, unless `stop` ends it."""
    problems = snapshot.quick_problems(database, most=3, stop=stop)
    if problems:
        note(database, DamageKind.DAMAGED, problems[0].splitlines()[-1])
    elif problems is not None and (known := read(database)) and known.kind is DamageKind.DAMAGED:
        path_of(database).unlink(missing_ok=True)


# -- the witnesses ----------------------------------------------------------------------------


def mark_path(database: Path) -> Path:
    """Return the path of the mark, which holds the newest change of a memory."""
    return database.with_name(f"{database.name}.mark")


class Mark:
    """Updates the mark, from the first change on; for one thread.

    An empty file would mean that a person wants an empty memory. It is not synced, and a power cut may leave an older
    one. To keep it behind the file, write only a change that a checkpoint has moved into the file since.
    """

    def __init__(self, database: Path) -> None:
        self._path = mark_path(database)
        self._file: int | None = None

    def newest(self, connection: Connection) -> bytes:
        """Return the mark of the newest change, empty before the first."""
        newest = connection.execute(_NEWEST).fetchone()
        return f"{newest[0]:020d} {newest[1]:+021d}\n".encode() if newest else b""

    def write(self, mark: bytes) -> None:
        """Write a mark; if a full disk refuses it, the next call writes it."""
        with contextlib.suppress(OSError):
            if mark and self._file is None:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                self._file = os.open(self._path, flags, 0o600)
            if self._file is not None:
                os.pwrite(self._file, mark, 0)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)


def _marked(database: Path) -> tuple[int, int] | None:
    """Return number and token of the newest recorded change, None without any."""
    number, _, token = (files.read_small(mark_path(database)) or b"").partition(b" ")
    try:
        return int(number), int(token)
    except ValueError:
        return None


def check_not_emptied(database: Path) -> None:
    """Raise StorageDamaged for a missing or empty file in which memories were stored.

    The mark of changes proves it, or a backup; a person who wants an empty memory leaves an empty mark.
    """
    if _has_tables(database):
        return
    mark = mark_path(database)
    if _marked(database) is None and (mark.exists() or not _has_backups(database)):
        return
    is_there, is_empty = database.exists(), database.exists() and not database.stat().st_size
    state = "is empty" if is_empty else "has no memories" if is_there else "is missing"
    raise StorageDamaged(
        f"{database} {state}, although memories were stored in it. "
        f"{WAY_BACK}. To begin with an empty memory: : > {mark}",
        path=str(database),
    )


def _has_tables(database: Path) -> bool:
    """Return whether a file is more than an empty database; an unreadable one counts as damaged, not as empty."""
    if not database.exists() or not database.stat().st_size:
        return False
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            return connection.execute(_TABLE).fetchone() is not None
    except sqlite.Error:
        return True


def _has_backups(database: Path) -> bool:
    folder = Workspace(database.parents[1]).backups_dir
    return folder.is_dir() and any(folder.iterdir())


def recover(database: Path) -> None:
    """Record what a database lacks after any kind of end; call it before any other process opens the file.

    A log whose valid part is older than the file itself is moved aside, because SQLite would replay it.
    """
    if not database.exists() or not database.stat().st_size:
        return
    before = _index(database)
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            _compare_mark(database, connection)  # reads, so SQLite has now recovered the log
    except sqlite.Error as error:
        if says_damage(error):
            note(database, DamageKind.DAMAGED, str(error))
        return
    after = _index(database)
    if before is None or after is None:
        return
    valid = after.frames if after.salt == before.salt else 0
    if valid < before.frames and before.moved < before.frames:
        since = f"the newest changes before {_ended(database)} are lost"
        what = f"{since} (the end of the write-ahead log is damaged); all older ones are there"
        note(database, DamageKind.LOST, what)
    if valid < min(before.frames, before.moved):
        log, index = (database.with_name(f"{database.name}-{end}") for end in ("wal", "shm"))
        log.rename(database.with_name(f"{database.name}.bak-log-{time.time_ns()}"))
        index.unlink(missing_ok=True)


class _Index(NamedTuple):
    """The log according to its index: valid frames, how many are in the database file too, and the log's identity."""

    frames: int
    moved: int
    salt: bytes


def _index(database: Path) -> _Index | None:
    """Return the content of the log's index; None without one, or after a restart of the machine."""
    path = database.with_name(f"{database.name}-shm")
    try:
        written = path.stat().st_mtime
        with path.open("rb") as file:
            raw = file.read(_MOVED_AT + _MOVED.size)
    except OSError:
        return None
    if (
        len(raw) < _MOVED_AT + _MOVED.size
        or raw[: _INDEX.size] != raw[_INDEX.size : 2 * _INDEX.size]
    ):
        return None
    # After a power cut this file may be newer or older than the log.
    if written * 1000 < clock.wall_ms() - clock.elapsed_ms():
        return None
    found = _INDEX.unpack_from(raw)
    if not found[3]:
        return None  # not in use yet
    (moved,) = _MOVED.unpack_from(raw, _MOVED_AT)
    return _Index(frames=found[6], moved=moved, salt=found[9])


def _compare_mark(database: Path, connection: Connection) -> None:
    marked = _marked(database)
    newest = there = None
    with contextlib.suppress(sqlite.OperationalError):  # a schema before that table
        newest = connection.execute(_NEWEST).fetchone()
        there = marked and connection.execute(_TOKEN, (marked[0],)).fetchone()
    if marked is None:
        return
    if newest is None:
        note(
            database, DamageKind.LOST, "the memories of the database that was here before are lost"
        )
    elif newest[0] < marked[0]:
        what = f"the newest changes before {_ended(database)} are lost; all older ones are there"
        note(database, DamageKind.LOST, what)
    elif there is not None and there[0] != marked[1]:
        note(database, DamageKind.LOST, "the changes of the database that was here before are lost")


def _ended(database: Path) -> str:
    """Return the time of the database's last use, in local time."""
    seconds = max(
        path.stat().st_mtime
        for path in (database, mark_path(database), database.with_name(f"{database.name}-shm"))
        if path.exists()
    )
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
