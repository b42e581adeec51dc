"""A disk of its own that is full: a whole daemon refuses saves clearly, goes on reading, heals, and has lost nothing.

Needs the right to mount (root); what a full disk does to one process is tested everywhere in `api/test_storage.py`.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from cli.program import SETTINGS, Program
from signet.db import snapshot
from support.disk import a_small_disk, fill
from support.processes import PATIENCE_SECONDS, eventually

SIZE = "24m"
REMEMBER = "/api/memory/remember"


@pytest.fixture(scope="module")
def disk() -> Iterator[Path]:
    """Give a small disk that is empty."""
    with a_small_disk(SIZE) as folder:
        yield folder


@pytest.fixture(scope="module")
def small(disk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Give a program whose daemon runs on the small disk."""
    program = Program(home=tmp_path_factory.mktemp("home"), workspace=disk / "w")
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(SETTINGS)
    assert program.run("daemon", "start", "--port", str(program.port)).status == 0
    yield program
    program.run("daemon", "stop")


@pytest.mark.sqlite_file
def test_a_full_disk_refuses_saves_and_nothing_that_was_acknowledged_is_lost(
    disk: Path, small: Program, tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{small.port}"
    with httpx.Client(base_url=url, timeout=PATIENCE_SECONDS, trust_env=False) as client:

        def save(number: int) -> tuple[str, httpx.Response]:
            text = f"Heron number {number} stands in the reeds. " + "It waits. " * 30
            return text.strip(), client.post(REMEMBER, json={"content": text})

        kept = {text for text, answer in map(save, range(3)) if answer.status_code == 200}
        assert len(kept) == 3
        ballast = fill(disk)
        with ThreadPoolExecutor(4) as pool:
            answers = [*pool.map(save, range(100, 300))]
        refused = [answer for _, answer in answers if answer.status_code != 200]
        kept |= {text for text, answer in answers if answer.status_code == 200}
        assert refused
        assert {answer.status_code for answer in refused} == {503}
        assert {answer.json()["code"] for answer in refused} == {"storage_full"}
        assert all(answer.headers["retry-after"] for answer in refused)
        eventually(lambda: client.get("/health/ready").status_code == 503)
        assert client.get("/health/ready").json()["code"] == "storage_full"

        found = client.post("/api/memory/recall", json={"query": "heron reeds"}).json()
        assert found["count"] > 0
        assert client.get("/health").json()["db"] is True
        storage = small.run("diagnostics", "storage", "--json").json()
        assert "the disk is full" in str(storage) and storage["score"] < 0.5
        no_room = small.run("backup", "--json")
        assert (no_room.status, no_room.json()["code"]) == (1, "no_room")
        checks = {one["check"]: one for one in small.run("doctor", "--json").json()}
        assert checks["disk"]["status"] == "fail"

        ballast.unlink()
        eventually(lambda: save(500)[1].status_code == 200)
        eventually(lambda: client.get("/health/ready").status_code == 200)
        kept.add(save(500)[0])
        memories = client.get("/api/memories?limit=1000").json()["memories"]
        assert {one["content"] for one in memories if one["who"] == "daemon"} >= kept
    assert small.run("backup", str(tmp_path / "after.zip")).status == 0
    small.run("daemon", "stop")
    assert snapshot.problems(small.workspace / "memory" / "memories.db") == []
    assert snapshot.counts(small.workspace / "memory" / "memories.db")["memories"] >= len(kept)


def test_a_backup_that_fills_its_disk_leaves_nothing_behind(
    disk: Path, small: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The room is measured before; somebody else may take it meanwhile."""
    from signet.domain.backup import create
    from signet.errors import StorageFull
    from signet.paths import Workspace
    from store.backups import NOON, a_workspace

    workspace = a_workspace(tmp_path / "w")
    ballast = fill(disk)
    os.truncate(ballast, ballast.stat().st_size - 1_500_000)
    monkeypatch.setattr(create, "SPARE", -(10**12))
    monkeypatch.setattr(create, "_room", lambda workspace, path: 1)
    with pytest.raises(StorageFull):
        create.create(Workspace(workspace.root), disk / "copy.zip", now=NOON)
    assert {path.name for path in disk.iterdir()} == {"ballast", "w"}
    os.truncate(ballast, 0)
    assert create.create(workspace, disk / "copy.zip", now=NOON).bytes
