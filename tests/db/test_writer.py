"""The one writer of a process: groups, failures in them, storage trouble, other writers."""

import asyncio
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from signet.db import Database, ReadTx, WriteTx
from signet.db.driver import LOG_PAGES, connect
from signet.errors import StorageBusy, StorageFull
from support.database import fresh_database
from support.processes import PATIENCE_SECONDS, eventually, program, said

HOLDER = """
import sys
from pathlib import Path
from signet.db.driver import connect
connection = connect(Path(sys.argv[1]))
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
"""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """Give a database whose groups end when nobody waits, however slow the machine is."""
    database = Database(fresh_database(tmp_path / "m.db"), group_seconds=PATIENCE_SECONDS)
    yield database
    database.close()


def put(tx: WriteTx, key: str) -> str:
    tx.run("INSERT INTO runtime_settings (key, value) VALUES (?, '1')", (key,))
    return key


def keys(db: Database) -> set[str]:
    return {row["key"] for row in db.read(ReadTx.all, "SELECT key FROM runtime_settings")}


def together(db: Database, *functions: object) -> list[object]:
    """Hand several functions over while the writer is held up, so that they become one group."""
    gate, entered = threading.Event(), threading.Event()

    def hold(tx: WriteTx) -> None:
        entered.set()
        gate.wait(PATIENCE_SECONDS)

    results: list[object] = [None] * len(functions)

    def call(number: int, function: object) -> None:
        try:
            results[number] = db.write(function)  # type: ignore[arg-type]  # a list of any functions
        except Exception as error:
            results[number] = error

    holder = threading.Thread(target=lambda: db.write(hold))
    holder.start()
    entered.wait(PATIENCE_SECONDS)
    threads = []
    for number, function in enumerate(functions):
        thread = threading.Thread(target=call, args=(number, function))
        thread.start()
        threads.append(thread)
        eventually(lambda: len(db.writer._waiting) == len(threads))
    gate.set()
    for thread in [holder, *threads]:
        thread.join(PATIENCE_SECONDS)
    return results


def test_a_write_is_there_when_it_is_answered(db: Database) -> None:
    assert db.write(put, "a") == "a"
    assert keys(db) == {"a"}


def test_a_failure_before_any_write_costs_the_others_nothing(db: Database) -> None:
    def refuse(tx: WriteTx) -> None:
        raise ValueError("no")

    first, refused, last = together(db, lambda tx: put(tx, "a"), refuse, lambda tx: put(tx, "b"))
    assert (first, last) == ("a", "b")
    assert isinstance(refused, ValueError)
    assert keys(db) == {"a", "b"}


def test_a_failure_after_a_write_is_undone_alone(db: Database) -> None:
    runs: list[str] = []

    def half(tx: WriteTx) -> None:
        runs.append("half")
        put(tx, "half")
        raise ValueError("no")

    def whole(tx: WriteTx) -> str:
        runs.append("whole")
        return put(tx, "whole")

    first, failed, last = together(db, whole, half, lambda tx: put(tx, "z"))
    assert (first, last) == ("whole", "z")
    assert isinstance(failed, ValueError)
    assert keys(db) == {"whole", "z"}
    assert runs == ["whole", "half", "whole"], "the failed one is not run again"


def test_an_optional_part_that_fails_costs_only_itself(db: Database) -> None:
    def part(tx: WriteTx) -> str:
        put(tx, "part")
        raise LookupError("odd data")

    def save(tx: WriteTx) -> str:
        put(tx, "memory")
        return tx.optional("part", lambda: part(tx), otherwise="left out")

    assert together(db, lambda tx: put(tx, "a"), save) == ["a", "left out"]
    assert keys(db) == {"a", "memory"}


def test_signals_are_told_only_after_a_commit(db: Database) -> None:
    heard: list[set[str]] = []
    db.writer.listen(lambda signals: heard.append(set(signals)))

    def failing(tx: WriteTx) -> None:
        tx.signal("jobs")
        put(tx, "x")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        db.write(failing)
    db.write(lambda tx: tx.signal("jobs"))
    db.write(put, "later")  # the listener is called after the answer, before the next group
    assert heard == [{"jobs"}]


def test_many_asyncio_callers_share_commits(db: Database) -> None:
    async def all_of_them() -> None:
        await asyncio.gather(*(db.awrite(put, str(number)) for number in range(300)))

    asyncio.run(all_of_them())
    assert len(keys(db)) == 300


def test_asyncio_callers_that_have_gone_cost_the_others_of_their_group_nothing(
    db: Database,
) -> None:
    go_on = threading.Event()

    def hold(_: WriteTx) -> str:
        go_on.wait(PATIENCE_SECONDS)
        return "held"

    async def some_of_them() -> list[object]:
        callers = [asyncio.create_task(db.awrite(hold))]
        callers += [asyncio.create_task(db.awrite(put, str(number))) for number in range(40)]
        await asyncio.wait(callers, timeout=0)
        for gone in callers[1::3]:
            gone.cancel()
        go_on.set()
        return list(await asyncio.gather(*callers, return_exceptions=True))

    answers = asyncio.run(some_of_them())
    stayed = [answer for place, answer in enumerate(answers) if place % 3 != 1]
    assert stayed == ["held", *(str(number) for number in range(40) if number % 3)]
    assert {str(number) for number in range(40) if number % 3} <= keys(db)


def test_who_hands_over_an_end_of_iteration_is_answered_and_so_are_the_others(db: Database) -> None:
    def first_of_none(tx: ReadTx) -> object:
        return next(iter(tx.all("SELECT key FROM runtime_settings WHERE 0")))

    async def all_of_them() -> list[object]:
        asked = [db.awrite(first_of_none), db.awrite(put, "a"), db.aread(first_of_none)]
        answered = asyncio.gather(*asked, return_exceptions=True)
        return list(await asyncio.wait_for(answered, PATIENCE_SECONDS))

    one, other, read = asyncio.run(all_of_them())
    assert (type(one), other, type(read)) == (RuntimeError, "a", RuntimeError)


@pytest.mark.sqlite_file
def test_a_full_disk_is_told_and_half_nothing_and_passes(db: Database) -> None:
    connection = db.writer._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 3}")

    def big(tx: WriteTx) -> None:
        put(tx, "big")
        tx.run("INSERT INTO runtime_settings (key, value) VALUES ('blob', ?)", ("x" * 200_000,))

    small, refused = together(db, lambda tx: put(tx, "small"), big)
    assert isinstance(refused, StorageFull)
    assert small == "small"
    assert keys(db) == {"small"}
    connection.execute(f"PRAGMA max_page_count = {pages + 1_000}")
    db.write(big)
    assert keys(db) == {"small", "big", "blob"}


@pytest.mark.sqlite_file
def test_a_foreign_writer_is_waited_for_and_then_told_about(tmp_path: Path) -> None:
    db = Database(fresh_database(tmp_path / "m.db"), wait_seconds=1.0)
    with closing(db), _holder(db.path) as holder:
        with pytest.raises(StorageBusy):
            db.write(put, "too-late")
        assert db.read(ReadTx.value, "SELECT 1") == 1, "reading goes on"
        assert holder.stdin is not None
        holder.stdin.close()
        holder.wait()
        assert db.write(put, "again") == "again"
        assert keys(db) == {"again"}


def test_two_processes_take_turns_at_the_gate(db: Database, tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from signet import engine; from signet.db import Database\n"
        "engine.use(Path(sys.argv[1]), os.environ.get('SIGNET_STORAGE_URL'))\n"
        "db = Database(Path(sys.argv[1])); print('ready', flush=True)\n"
        "def put(tx, n): tx.run(\"INSERT INTO runtime_settings VALUES (?, '1')\", (f'other-{n}',))\n"
        "for n in range(200): db.write(put, n)\n"
        "db.close(); print('done', flush=True)\n"
    )
    with program("-c", code, str(db.path)) as other:
        said(other, "ready")
        for number in range(200):
            db.write(put, f"mine-{number}")
        said(other, "done")
    assert len(keys(db)) == 400
    assert db.read(ReadTx.value, "PRAGMA integrity_check") == "ok"


def test_a_closed_database_refuses_and_loses_nothing(db: Database) -> None:
    db.write(put, "a")
    db.close()
    with pytest.raises(StorageBusy):
        db.write(put, "b")
    again = connect(db.path)
    assert [row[0] for row in again.execute("SELECT key FROM runtime_settings")] == ["a"]
    again.close()


def test_a_reader_sees_one_moment(db: Database) -> None:
    def look(tx: ReadTx) -> tuple[int, int]:
        count = "SELECT COUNT(*) FROM runtime_settings"
        before = tx.value(count)
        threading.Thread(target=lambda: db.write(put, "meanwhile")).start()
        eventually(lambda: keys(db) == {"meanwhile"})
        return before, tx.value(count)

    assert db.read(look) == (0, 0)
    assert keys(db) == {"meanwhile"}


class _holder:
    """A process that holds the write lock without knowing the gate."""

    def __init__(self, path: Path) -> None:
        import sys

        from support.processes import PYTHONPATH

        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(path)],
            env={"PYTHONPATH": PYTHONPATH},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "subprocess.Popen[str]":
        said(self.process, "held")
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()


@pytest.mark.sqlite_file
def test_a_gate_that_cannot_be_made_is_told_and_leaves_no_file_open(tmp_path: Path) -> None:
    path = fresh_database(tmp_path / "m.db")
    path.with_name("m.db.gate").mkdir()
    with pytest.raises(StorageFull):
        Database(path)
    held = {os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()}
    assert str(path) not in held


def test_who_is_told_later_and_fails_costs_the_others_of_the_group_nothing(db: Database) -> None:
    def told(result: object, error: BaseException | None) -> None:
        raise RuntimeError("a bug")

    def hold(tx: WriteTx) -> None:
        db.writer.later(lambda tx: put(tx, "later"), told)

    assert together(db, hold, lambda tx: put(tx, "a")) == [None, "a"]
    eventually(lambda: keys(db) == {"later", "a"})
    assert db.write(put, "b") == "b"


@pytest.mark.sqlite_file
def test_the_log_is_started_anew_and_does_not_grow_with_what_is_written(db: Database) -> None:
    size = LOG_PAGES * 4096
    for _ in range(4):
        db.write(
            lambda tx: tx.run("REPLACE INTO runtime_settings VALUES ('a', zeroblob(?))", (size,))
        )
    assert db.path.with_name("m.db-wal").stat().st_size < 2 * size


class LateBug:
    """A hook with a bug that shows after the commit."""

    def wants_commit(self, tx: ReadTx) -> bool:
        return False

    def before_commit(self, tx: WriteTx) -> None:
        pass

    def after_commit(self, committed: bool) -> None:
        raise RuntimeError("a bug")


def test_a_hook_that_fails_after_the_commit_makes_no_write_run_again(db: Database) -> None:
    db.writer.add_hook(LateBug())
    assert db.write(put, "alone") == "alone"
    assert together(db, lambda tx: put(tx, "b"), lambda tx: put(tx, "c")) == ["b", "c"]
    assert keys(db) == {"alone", "b", "c"}
