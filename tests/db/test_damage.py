"""A damaged database says so, and so does one that lacks what was stored in it."""

import contextlib
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from signet import clock
from signet.db import Database, ReadTx, WriteTx, damage, migrate
from signet.db.checkpoint import Checkpointer
from signet.db.damage import Damage, DamageKind
from signet.db.driver import connect
from signet.errors import StorageDamaged, StorageMoved
from signet.paths import Workspace
from support.database import MADE_AT, fresh_database
from support.processes import program

pytestmark = pytest.mark.sqlite_file

PAGE = 4096
FRAME = PAGE + 24
#: Commits rows one by one and dies; a checkpoint after so many of them, beside a reader that keeps the log going.
WRITER = """
import os, signal, sys
from pathlib import Path
from signet.db.driver import connect
path, rows, moved = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
connection = connect(path)
for number in range(rows):
    connection.execute("INSERT INTO memory_changes (seq) VALUES (?)", (number,))
    if number + 1 == moved:
        reader = connect(path, read_only=True)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory_changes").fetchone()
        assert connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1] > 0
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return fresh_database(tmp_path / "memories.db")


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    database = Database(path)
    yield database
    database.close()


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def died(path: Path, *, rows: int, moved: int = 0) -> int:
    """Let a process commit rows and die; return how many frames its log has."""
    with program("-c", WRITER, str(path), str(rows), str(moved)) as process:
        assert process.wait() == -signal.SIGKILL
    return (log_of(path).stat().st_size - 32) // FRAME


def rows_in(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(connection.execute("SELECT count(*) FROM memory_changes").fetchone()[0])


def add(tx: WriteTx, number: int) -> None:
    tx.run("INSERT INTO memory_changes (seq) VALUES (?)", (number,))


def count(tx: ReadTx) -> int:
    return int(tx.value("SELECT count(*) FROM memory_changes"))


def scribble(path: Path, at: int, size: int = 64) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(os.urandom(size))


def spoil(log: Path, half: int, how: str) -> None:
    """Damage a log in one of several ways; `half` is where its second half begins."""
    if how == "missing":
        log.unlink()
    elif how in ("cut", "empty"):
        os.truncate(log, half if how == "cut" else 0)
    else:
        scribble(log, {"middle": half + 100, "header": 8, "first": 40}[how])


def test_a_whole_log_is_no_loss(path: Path) -> None:
    died(path, rows=50)
    damage.recover(path)
    assert damage.read(path) is None
    assert rows_in(path) == 50


@pytest.mark.parametrize("how", ["cut", "middle", "header", "first", "empty", "missing"])
def test_a_damaged_end_of_the_log_is_noted(path: Path, how: str) -> None:
    frames = died(path, rows=50)
    log = log_of(path)
    half = 32 + frames // 2 * FRAME
    spoil(log, half, how)
    damage.recover(path)
    found = damage.read(path)
    assert found is not None
    assert found.kind is DamageKind.LOST
    assert "are lost" in found.message and "signet restore FILE" in found.message
    assert 0 <= rows_in(path) < 50


@pytest.mark.parametrize("how", ["cut", "middle", "header", "missing"])
def test_a_damaged_log_that_the_file_has_already_is_put_aside(path: Path, how: str) -> None:
    """Its valid beginning is older than the file, and SQLite would replay it."""
    frames = died(path, rows=50, moved=50)
    log = log_of(path)
    half = 32 + frames // 2 * FRAME
    spoil(log, half, how)
    damage.recover(path)
    assert damage.read(path) is None
    assert rows_in(path) == 50


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        (lambda frames: frames // 4, lambda rows: rows == 30),  # in what the file has already
        (lambda frames: frames - 4, lambda rows: 30 <= rows < 50),
    ],
)
def test_what_came_after_the_last_checkpoint_is_lost_and_no_more(
    path: Path, part: Callable[[int], int], kept: Callable[[int], bool]
) -> None:
    frames = died(path, rows=50, moved=30)
    scribble(log_of(path), 32 + part(frames) * FRAME)
    damage.recover(path)
    found = damage.read(path)
    assert found is not None and found.kind is DamageKind.LOST
    assert kept(rows_in(path))


def test_a_restarted_system_excuses_a_log_that_is_older_than_its_index(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died(path, rows=50)
    os.truncate(log_of(path), 32 + 5 * FRAME)
    monkeypatch.setattr(clock, "elapsed_ms", lambda: -60_000)
    damage.recover(path)
    assert damage.read(path) is None


def test_an_older_file_in_its_place_is_noted(path: Path, db: Database) -> None:
    older = path.read_bytes()
    for number in range(3):
        db.write(add, number)
    checkpointer = Checkpointer(path)
    assert checkpointer.poll()
    checkpointer.close()
    db.close()
    damage.recover(path)
    assert damage.read(path) is None
    path.write_bytes(older)
    damage.recover(path)
    found = damage.read(path)
    assert found is not None and found.kind is DamageKind.LOST


def test_another_file_in_its_place_is_noted(path: Path, db: Database, tmp_path: Path) -> None:
    other = fresh_database(tmp_path / "other" / "memories.db")
    for each in (db, Database(other)):
        for number in range(3):
            each.write(add, number)
        checkpointer = Checkpointer(each.path)
        assert checkpointer.poll()
        checkpointer.close()
        each.close()
    path.write_bytes(other.read_bytes())
    damage.recover(path)
    found = damage.read(path)
    assert found is not None and "before are lost" in found.what


@pytest.mark.parametrize("how", ["empty", "missing"])
def test_an_emptied_database_is_not_made_anew(path: Path, db: Database, how: str) -> None:
    db.write(add, 1)
    checkpointer = Checkpointer(path)
    assert checkpointer.poll()
    checkpointer.close()
    db.close()
    os.truncate(path, 0) if how == "empty" else path.unlink()
    with pytest.raises(
        StorageDamaged, match=f"is {how}, although memories were stored in it"
    ) as no:
        migrate.upgrade(path, now=MADE_AT)
    assert "signet restore FILE" in no.value.message
    damage.mark_path(path).unlink()
    migrate.upgrade(path, now=MADE_AT)


def test_no_new_database_is_made_where_a_backup_is(tmp_path: Path) -> None:
    path = tmp_path / "w" / "memory" / "memories.db"
    backup = Workspace(tmp_path / "w").backups_dir / "signet-20260501T000000Z-daily.zip"
    backup.parent.mkdir(parents=True)
    backup.touch()
    with pytest.raises(StorageDamaged, match=r"is missing.*signet restore FILE"):
        migrate.upgrade(path, now=MADE_AT)
    path.parent.mkdir()
    damage.mark_path(path).touch()
    migrate.upgrade(path, now=MADE_AT)
    assert migrate.is_current(path)


def test_a_damaged_page_is_a_clear_refusal_and_noted(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        [root] = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'memory_changes'"
        ).fetchone()
    scribble(path, (root - 1) * PAGE, PAGE)
    db = Database(path)
    with pytest.raises(StorageDamaged) as refused:
        db.write(add, 1)
    assert refused.value.code == "database_damaged"
    assert "signet restore FILE" in refused.value.message
    with pytest.raises(StorageDamaged):
        db.read(count)
    db.close()
    found = damage.read(path)
    assert found is not None and found.kind is DamageKind.DAMAGED
    assert "signet restore FILE" in found.message


def test_an_examination_notes_damage_and_takes_back_a_note_that_no_longer_holds(path: Path) -> None:
    damage.note(path, DamageKind.DAMAGED, "something")
    damage.examine(path, lambda: False)
    assert damage.read(path) is None
    damage.note(path, DamageKind.LOST, "the newest changes")
    damage.examine(path, lambda: False)
    assert damage.read(path) is not None
    scribble(path, 40 * PAGE, PAGE)
    damage.examine(path, lambda: False)
    found = damage.read(path)
    assert found is not None and found.kind is DamageKind.DAMAGED
    assert damage.accept(path) == found.what
    assert damage.read(path) is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"kind": "new"}'])
def test_a_note_that_cannot_be_read_is_damage(path: Path, content: str) -> None:
    damage.path_of(path).write_text(content)
    assert damage.read(path) == Damage(DamageKind.DAMAGED, "its note cannot be read", 0.0)


def test_a_file_that_was_emptied_while_it_is_open_takes_no_more(path: Path, db: Database) -> None:
    checkpointer = Checkpointer(path)
    db.write(add, 1)
    os.truncate(path, 0)
    with pytest.raises(StorageDamaged, match="was emptied; nothing was written"):
        db.write(add, 2)
    assert not checkpointer.poll()
    checkpointer.close()
    assert path.stat().st_size == 0
    assert not db.needs_restart()


@pytest.mark.parametrize("names", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_a_deleted_log_is_moved_into_the_file_when_all_have_closed_it(
    path: Path, db: Database, names: tuple[str, ...]
) -> None:
    for number in range(3):
        db.write(add, number)
    assert not db.needs_restart()
    for name in names:
        path.with_name(path.name + name).unlink()
    assert db.needs_restart()
    db.write(add, 3)
    db.close()
    assert rows_in(path) == 4


def test_a_deleted_database_is_written_again_before_it_is_closed(path: Path, db: Database) -> None:
    other = Database(path)
    db.write(add, 1)
    path.unlink()
    for each in (db, other):
        with pytest.raises(StorageMoved):
            each.write(add, 2)
    assert other.needs_restart()
    with pytest.raises(StorageMoved):
        db.write(add, 3)
    other.close()
    db.close()
    assert rows_in(path) == 1
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_database_that_was_replaced_takes_no_more(
    path: Path, db: Database, tmp_path: Path
) -> None:
    fresh_database(tmp_path / "other.db").replace(path)
    with pytest.raises(StorageMoved):
        db.write(add, 1)
    assert db.needs_restart()


def test_a_replaced_database_takes_no_more_although_others_read_the_new_one(
    path: Path, db: Database, tmp_path: Path
) -> None:
    fresh_database(tmp_path / "other.db").replace(path)
    with contextlib.closing(connect(path)) as connection:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        with pytest.raises(StorageMoved):
            db.write(add, 1)
        assert db.needs_restart()


def test_another_inode_number_of_the_same_file_is_no_replacement(path: Path, db: Database) -> None:
    db.files._inode = 0
    for known in db.files._known:
        db.files._known[known] = (0, 0)
    db.write(add, 1)
    assert not db.needs_restart()
