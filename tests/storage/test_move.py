"""`signet storage move`, backup and restore with a PostgreSQL server, as a person uses them, and killed meanwhile."""

import importlib.util
import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from cli.program import Program
from signet import engine as engines
from signet.db import Database, migrate
from signet.db.driver import connect
from signet.db.postgres import moving
from signet.errors import StorageFull
from storage.hosts import Host, a_program, rows
from support import forks, postgres
from support.database import MADE_AT
from support.disk import a_small_disk, fill
from support.processes import PATIENCE_SECONDS, eventually

TEXTS = ("The heron ships on Fridays.", "Die Größe der Möwe ist 42.", "A curlew nests in Lund.")
QUESTION = ("recall", "when does the heron ship", "--json", "--keyword-query", "heron")


@pytest.fixture
def url() -> Iterator[str]:
    made = postgres.empty()
    yield made
    postgres.drop(made)


@pytest.fixture
def host(tmp_path: Path, url: str) -> Iterator[Host]:
    """Run a daemon on a file with some memories and a session."""
    yield from filled(Host(a_program(tmp_path, None), url))


@pytest.fixture
def on_server(tmp_path: Path, url: str) -> Iterator[Host]:
    """Run a daemon on the server with the same."""
    yield from filled(Host(a_program(tmp_path, url), url))


def filled(host: Host) -> Iterator[Host]:
    host.start()
    for text in TEXTS:
        assert host.program.run("remember", text).status == 0
    host.end_session(
        "terns-1", [("user", "Where do terns file?"), ("assistant", "In copper.")], "/w"
    )
    yield host
    host.program.run("daemon", "stop")


def answer(program: Program) -> list[tuple[Any, Any]]:
    return [(hit["id"], hit["score"]) for hit in program.run(*QUESTION).json()]


def contents(program: Program) -> set[str]:
    found = program.run("memory", "list", "--json", "--limit", "100").json()["memories"]
    return {one["content"] for one in found if one["who"] == "user"}


def run(program: Program, *arguments: str) -> Any:
    done = program.run(*arguments, "--json")
    assert done.status == 0, done.err
    return done.json()


def examined(program: Program) -> Any:
    """Return the checks of doctor; so soon after a start others than the tested one may fail."""
    return program.run("doctor", "--json").json()


def killed(program: Program, *arguments: str, copy: int = 1) -> None:
    """Run a command that is killed when the target of a copy has all rows, before its commit."""
    with TemporaryFile("w+") as said:
        streams = (said.fileno(), said.fileno(), said.fileno())
        given = (str(copy), *arguments)
        fork = forks.Fork(forks.COMMANDS, "storage.killed", given, program.environment(), streams)
        status = fork.ended(PATIENCE_SECONDS)
        said.seek(0)
        assert status == -signal.SIGKILL, said.read()


def engine(host: Host) -> str:
    return str(host.get("/api/status")["storage"]["engine"])


def test_a_memory_moves_to_a_server_and_back_and_answers_as_before(host: Host) -> None:
    program, before = host.program, answer(host.program)
    assert before and engine(host) == "sqlite"
    killed(program, "storage", "move", host.url)
    assert rows(host.url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
    host.start()
    assert engine(host) == "sqlite" and answer(program) == before

    moved = run(program, "storage", "move", host.url)
    assert moved["rows"]["memories"] >= len(TEXTS) and not moved["leftOut"]
    assert engine(host) == "postgresql"
    assert answer(program) == before and set(TEXTS) <= contents(program)
    assert "PostgreSQL 18" in program.run("status").out
    checks = {one["check"]: one for one in examined(program)}
    assert checks["database"]["status"] == "ok" and "PostgreSQL 18" in checks["database"]["detail"]
    run(program, "remember", "Saved on the server.")
    again = program.run("storage", "move", host.url)
    assert again.status == 1 and "on a server already" in again.err

    run(program, "backup")
    back = run(program, "storage", "move", "file")
    assert back["rows"]["memories"] == moved["rows"]["memories"] + 1
    assert engine(host) == "sqlite"
    assert answer(program) == before and {*TEXTS, "Saved on the server."} <= contents(program)
    file = sqlite3.connect(program.workspace / "memory" / "memories.db")
    assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    file.close()
    run(program, "remember", "Saved in the file again.")
    assert "Saved in the file again." in contents(program)
    refused = program.run("storage", "move", host.url)
    assert refused.status == 1 and "contains tables" in refused.err
    assert "Saved in the file again." in contents(program)


def test_what_a_move_has_left_says_so_until_it_is_used_again(host: Host, tmp_path: Path) -> None:
    program = host.program
    run(program, "storage", "move", host.url)
    assert "moved" not in program.run("doctor").out
    run(program, "config", "set", "storage.url", "null")
    told = program.run("daemon", "restart")
    address = host.url.partition("@")[2]
    assert f"this memory was moved to postgresql://{address} on " in told.out + told.err
    check = next(one for one in examined(program) if one["check"] == "moved")
    assert check["status"] == "warn" and address in check["detail"]
    program.run("doctor", "--fix")
    assert "moved" not in program.run("doctor").out
    told = program.run("daemon", "restart")
    assert told.status == 0 and "was moved" not in told.out + told.err

    run(program, "config", "set", "storage.url", host.url)
    run(program, "storage", "move", "file")
    assert "moved" not in program.run("doctor").out
    other = a_program(tmp_path / "other", host.url)
    told = other.run("daemon", "start", "--port", str(other.port))
    try:
        assert "this memory was moved to a file of " in told.out + told.err
    finally:
        other.run("daemon", "stop")


def test_a_move_that_was_killed_is_started_again(host: Host) -> None:
    program = host.program
    killed(program, "storage", "move", host.url, copy=0)
    run(program, "storage", "move", host.url)
    host.start()
    assert engine(host) == "postgresql" and set(TEXTS) <= contents(program)
    run(program, "remember", "Saved on the server.")
    for when in (1, 0):
        killed(program, "storage", "move", "file", copy=when)
    run(program, "storage", "move", "file")
    host.start()
    assert engine(host) == "sqlite" and {*TEXTS, "Saved on the server."} <= contents(program)


def test_a_copy_that_was_used_is_not_replaced(host: Host, tmp_path: Path) -> None:
    killed(host.program, "storage", "move", host.url, copy=0)
    other = a_program(tmp_path / "other", host.url)
    assert other.run("daemon", "start", "--port", str(other.port)).status == 0
    run(other, "remember", "Saved on another host.")
    assert other.run("daemon", "stop").status == 0
    refused = host.program.run("storage", "move", host.url)
    assert refused.status == 1 and "contains tables" in refused.err


def test_a_backup_of_a_server_is_restored_to_it_and_to_a_file(
    on_server: Host, tmp_path: Path
) -> None:
    program, copy = on_server.program, tmp_path / "copy.zip"
    run(program, "backup", str(copy))
    before = answer(program)
    run(program, "remember", "Saved after the backup.")
    forgotten = run(
        program, "memory", "forget", "--query", "curlew nests", "--yes", "--reason", "x"
    )
    assert forgotten
    kept = {text for text in TEXTS if "curlew" not in text}
    done = run(program, "restore", str(copy), "--yes", "--settings", "keep")
    assert done["restored"] and done["forgotten"] == 1
    assert contents(program) == kept and answer(program) == before
    assert engine(on_server) == "postgresql"
    undone = run(program, "restore", done["replaced"], "--yes")
    assert undone["restored"]
    assert contents(program) == kept | {"Saved after the backup."}
    assert not (program.workspace / "memory" / "memories.db").exists()

    other = a_program(tmp_path / "other", None)
    run(other, "restore", str(copy), "--yes", "--settings", "take")
    assert other.run("daemon", "start", "--port", str(other.port)).status == 0
    try:
        assert contents(other) == set(TEXTS) and answer(other) == before
    finally:
        other.run("daemon", "stop")


def test_a_killed_restore_of_a_server_changes_nothing_or_is_finished_at_the_next_start(
    on_server: Host, tmp_path: Path
) -> None:
    program, copy = on_server.program, tmp_path / "copy.zip"
    run(program, "backup", str(copy))
    run(program, "remember", "Saved after the backup.")
    words = ("restore", str(copy), "--yes", "--settings", "keep", "--with-forgotten")
    killed(program, *words, copy=1)
    on_server.start()
    assert contents(program) == {*TEXTS, "Saved after the backup."}
    killed(program, *words, copy=2)
    on_server.start()
    assert engine(on_server) == "postgresql" and contents(program) == set(TEXTS)
    run(program, "remember", "Saved on the server again.")
    program.run("daemon", "restart")
    assert contents(program) == {*TEXTS, "Saved on the server again."}


@pytest.mark.parametrize("left", ["text", "empty", "cut", "log"])
def test_an_old_file_that_is_damaged_makes_way(tmp_path: Path, left: str) -> None:
    path, log = tmp_path / "memories.db", tmp_path / "memories.db-wal"
    with closing(connect(path)) as file:
        file.execute("CREATE TABLE kept (text)")
        file.execute("INSERT INTO kept VALUES ('heron')")
        whole, logged = path.read_bytes(), log.read_bytes()
    text = b"no database" * 1000
    path.write_bytes({"text": text, "empty": b"", "cut": whole[:700], "log": text}[left])
    if left == "log":
        log.write_bytes(logged)
    aside = moving.set_aside(path)
    assert aside is not None and not path.exists() and not log.exists()
    if left == "text":
        assert aside.read_bytes() == text
    elif left == "log":
        with closing(connect(aside)) as kept:  # the log had all pages
            assert kept.execute("SELECT text FROM kept").fetchone()[0] == "heron"
    with closing(connect(path)) as fresh:
        assert fresh.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0


@pytest.mark.parametrize("free", [0, 4_096, 40_000, 100_000, 300_000, 500_000])
def test_a_copy_of_a_server_that_fills_its_disk_says_so(
    tmp_path: Path, url: str, free: int
) -> None:
    engines.use(tmp_path / "memories.db", url)
    migrate.upgrade(tmp_path / "memories.db", now=MADE_AT)
    with a_small_disk("8m") as disk, closing(moving.opened(url)) as server:
        ballast = fill(disk)
        os.truncate(ballast, ballast.stat().st_size - free)
        with pytest.raises(StorageFull, match="is full"):
            moving.write_file(server, disk / "copy.db", now=MADE_AT)
        os.truncate(ballast, 0)
        assert moving.write_file(server, disk / "copy.db", now=MADE_AT).rows["memories"] == 0


def test_a_damaged_old_file_hinders_neither_a_restore_nor_a_move_back(
    host: Host, tmp_path: Path
) -> None:
    program, copy = host.program, tmp_path / "copy.zip"
    run(program, "storage", "move", host.url)
    run(program, "backup", str(copy))
    run(program, "remember", "Saved after the backup.")
    old = program.workspace / "memory" / "memories.db"
    for command in (
        ("restore", str(copy), "--yes", "--settings", "keep"),
        ("storage", "move", "file"),
    ):
        old.write_bytes(b"no database" * 1000)
        run(program, *command)
        assert contents(program) == set(TEXTS)
    kept = [one.read_bytes() for one in old.parent.glob("memories.db.bak-*")]
    assert kept.count(b"no database" * 1000) == 1


def test_a_host_without_a_file_is_complete_with_the_memory_on_the_server(
    tmp_path: Path, url: str
) -> None:
    program = a_program(tmp_path, url)
    assert "create it with: signet setup" not in program.run("workspace", "status").err
    assert program.run().out.splitlines()[-2] == "Next: signet daemon start"
    assert program.run("daemon", "start", "--port", str(program.port)).status == 0
    try:
        run(program, "remember", "The heron ships on Fridays.")
        told = program.run("status").out
        assert "create one with: signet backup" in told and "memories.db" not in told
    finally:
        program.run("daemon", "stop")
    assert not (program.workspace / "memory" / "memories.db").exists()
    told = program.run("status").out
    assert "start it with: signet daemon start" in told
    assert re.search(r"memories +1\n +storage +PostgreSQL, postgresql:///", told)
    assert run(program, "workspace", "status")["database"] is True
    postgres.drop(url)
    gone = program.run("status")
    assert gone.status == 0 and "storage     PostgreSQL, " in gone.out
    assert not re.search(r"^ *memories ", gone.out, re.MULTILINE)


def test_an_address_with_a_password_or_of_nothing_is_refused(host: Host) -> None:
    for target, told in (
        ("mysql://db/signet", "begins with postgresql://"),
        ("postgresql://ada:secret@db/signet", "without a password"),
        ("postgresql:///signet", "with a host"),
        ("postgresql://db", "the name of a database"),
        ("postgresql://ada@/nowhere?host=/nowhere", "does not answer"),
    ):
        done = host.program.run("storage", "move", target)
        assert done.status == 1 and told in done.err
        assert "secret" not in done.err + done.out
    assert engine(host) == "sqlite"


def test_a_daemon_that_still_uses_the_file_says_so(host: Host) -> None:
    program = host.program
    run(program, "remember", "Saved before the change.")
    done = program.run("config", "set", "storage.url", host.url)
    assert "Restart: signet daemon restart" in done.out + done.err
    eventually(lambda: host.get("/health")["pendingRestart"] == "storage.url")
    told = program.run("doctor").out
    assert "this daemon still uses the file memories.db, the settings say postgresql:///" in told
    assert contents(program) == {*TEXTS, "Saved before the change."}
    assert program.run("daemon", "restart").status == 0
    assert host.get("/health")["pendingRestart"] is None
    assert "still uses" not in program.run("doctor").out and contents(program) == set()


def test_a_server_without_the_packages_for_it_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "psycopg" else found(name)
    )
    place = tmp_path / "memories.db"
    engines.use(place, "postgresql://ada@db.example/signet")
    try:
        told = r"needs psycopg, not installed.*'signetai\[postgres\]'.*'\.\[postgres\]'"
        with pytest.raises(engines.StorageUnclear, match=told):
            Database(place)
    finally:
        engines.use(place, None)
