"""A daemon whose files are damaged while it runs or rests says so with the way back, or heals and loses nothing."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from cli.program import Program, running
from signet.db import damage
from signet.db.driver import connect
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, eventually, suspend_pid

REMEMBER = "/api/memory/remember"


pytestmark = pytest.mark.sqlite_file


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    with running(tmp_path) as started:
        yield started


@pytest.fixture
def client(program: Program) -> Iterator[httpx.Client]:
    url = f"http://127.0.0.1:{program.port}"
    with httpx.Client(base_url=url, timeout=PATIENCE_SECONDS, trust_env=False) as opened:
        yield opened


def save(client: httpx.Client, number: int) -> httpx.Response:
    return client.post(REMEMBER, json={"content": f"Heron number {number} stands in the reeds."})


def saved(client: httpx.Client) -> set[str]:
    memories = client.get("/api/memories?limit=1000").json()["memories"]
    return {one["content"] for one in memories if one["content"].startswith("Heron")}


def spoil(database: Path) -> None:
    """Write rubbish over the root pages of a table that every save writes to."""
    import contextlib
    import sqlite3

    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        names = "name IN ('memory_history', 'memory_changes')"
        roots = connection.execute(f"SELECT rootpage FROM sqlite_master WHERE {names}").fetchall()
    with database.open("r+b") as file:
        for (root,) in roots:
            file.seek((root - 1) * 4096)
            file.write(os.urandom(4096))


def test_damaged_pages_are_reported_everywhere_and_a_restore_heals(
    program: Program, client: httpx.Client, tmp_path: Path
) -> None:
    assert save(client, 1).status_code == 200
    backup = tmp_path / "backup.zip"
    assert program.run("backup", str(backup)).status == 0
    program.run("daemon", "stop")
    spoil(Workspace(program.workspace).database)
    started = program.run("daemon", "start", "--port", str(program.port))
    assert started.status == 0
    ready = client.get("/health/ready")
    eventually(lambda: client.get("/health/ready").status_code == 503)
    ready = client.get("/health/ready")
    assert ready.json()["code"] == "database_damaged"
    assert "signet restore FILE" in ready.json()["error"]
    refused = save(client, 2)
    assert (refused.status_code, refused.json()["code"]) == (503, "database_damaged")
    assert "signet restore FILE" in refused.json()["error"]
    status = program.run("status")
    assert status.status == 0 and "restore FILE" in status.out
    checks = {one["check"]: one for one in program.run("doctor", "--json").json()}
    assert checks["database"]["status"] == "fail"
    assert "restore FILE" in checks["database"]["fix"]
    hook = program.run(
        "hook",
        "session-start",
        "-H",
        "claude-code",
        stdin=json.dumps({"session_id": "s1", "cwd": str(tmp_path)}),
    )
    assert hook.status == 0
    assert "damaged" in hook.out
    assert program.run("restore", str(backup), "--yes").status == 0
    eventually(lambda: client.get("/health/ready").status_code == 200)
    assert save(client, 3).status_code == 200
    assert saved(client) == {f"Heron number {one} stands in the reeds." for one in (1, 3)}


@pytest.mark.parametrize("end", ["-wal", "-shm", "", "replaced"])
def test_files_of_the_database_that_are_deleted_or_replaced_cost_nothing(
    program: Program, client: httpx.Client, tmp_path: Path, end: str
) -> None:
    database = Workspace(program.workspace).database
    acknowledged = {f"Heron number {n} stands in the reeds." for n in range(9) if save(client, n)}
    before = client.get("/api/status").json()["processes"]
    if end == "replaced":  # by a copy of it, as by `mv copy.db memories.db`
        copy = tmp_path / "copy.db"
        with closing(connect(database)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy),))
        copy.rename(database)
    else:
        database.with_name(database.name + end).unlink()

    def is_replaced() -> bool:
        number = len(acknowledged)
        try:
            if save(client, number).status_code == 200:
                acknowledged.add(f"Heron number {number} stands in the reeds.")
            now = client.get("/api/status").json()["processes"]
        except (httpx.HTTPError, KeyError):
            return False
        pids = {one["pid"] for one in before} & {one["pid"] for one in now}
        return not pids and all(one["state"] == "running" for one in now)

    eventually(is_replaced)
    eventually(lambda: client.get("/health/ready").status_code == 200)
    assert saved(client) == acknowledged
    assert damage.read(database) is None


def test_an_emptied_database_is_refused_and_not_made_anew(
    program: Program, client: httpx.Client
) -> None:
    database = Workspace(program.workspace).database
    assert save(client, 1).status_code == 200
    mark = damage.mark_path(database)
    eventually(lambda: mark.exists() and mark.stat().st_size > 0)
    os.truncate(database, 0)
    refused = save(client, 2)
    assert (refused.status_code, refused.json()["code"]) == (503, "database_damaged")
    eventually(lambda: client.get("/health/ready").status_code == 503)
    program.run("daemon", "stop")
    failed = program.run("daemon", "start")
    assert failed.status == 1
    assert "is empty, although memories were stored in it" in failed.err
    assert "restore FILE" in failed.err
    [check] = [one for one in program.run("doctor", "--json").json() if one["check"] == "database"]
    assert check["status"] == "fail"
    assert "restore FILE" in program.run("status").out
    with closing(connect(database)) as connection:  # another program has opened it
        connection.execute("PRAGMA user_version = 1")
    assert "has no memories" in program.run("daemon", "start").err
    mark.write_bytes(b"")
    assert program.run("daemon", "start").status == 0


def test_lost_changes_are_named_until_a_person_accepts_them(
    program: Program, client: httpx.Client
) -> None:
    workspace = Workspace(program.workspace)
    database = workspace.database
    assert save(client, 1).status_code == 200
    supervisor = int(workspace.pid_file.read_text())
    processes = client.get("/api/status").json()["processes"]
    pids = {one["name"]: one["pid"] for one in processes}
    os.kill(
        supervisor, signal.SIGSTOP
    )  # else it starts others for those that are suspended or dead
    for name in ("scheduler", "worker"):
        suspend_pid(pids[name], database)  # they would move the log
    assert save(client, 2).status_code == 200
    suspend_pid(pids["api"], database)  # it ends when its supervisor is gone
    for pid in (supervisor, *pids.values()):
        os.kill(pid, signal.SIGKILL)
    database.with_name(f"{database.name}-wal").unlink()
    started = program.run("daemon", "start", "--port", str(program.port))
    assert started.status == 0, started.err
    eventually(lambda: "the newest changes before" in str(client.get("/health/ready").json()))
    [check] = [one for one in program.run("doctor", "--json").json() if one["check"] == "database"]
    assert "the newest changes before" in check["detail"]
    program.run("doctor", "--fix")
    assert damage.read(database) is None
    eventually(lambda: client.get("/health/ready").json()["reasons"] == [])
