"""Each check finds what it is for, says what to do, and `--fix` cures what it claims; a look changes nothing."""

import os
import socket
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from signet import clock, engine
from signet.care.doctor import machine, mends, use
from signet.care.doctor.examine import examine
from signet.care.doctor.models import CheckStatus, DoctorCheck, Scene
from signet.config import load
from signet.db import vectors
from signet.domain.backup import archive, create, restore, swap
from signet.domain.harnesses import registry as harnesses
from signet.domain.harnesses.registry import HarnessEntry
from signet.paths import Workspace
from store.backups import NOON, a_workspace, opened, owned, texts
from support.database import STORAGE_URL
from support.ports import free_port

NAMES = {
    "python", "sqlite", "disk", "file system", "clock", "workspace", "settings", "file modes", "restores",
    "backup", "database", "schema", "vectors", "queue", "storage", "index", "provider", "mutation",
    "connector", "duplicate", "daemon", "port", "one daemon", "embeddings", "extraction", "harnesses", "service",
    "structure", "waiting", "capture",
}  # fmt: skip
#: Checks that a server needs not.
OF_THE_FILE = {"sqlite", "structure"}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SIGNET_MODEL_DIR", str(tmp_path / "models"))
    made = a_workspace(tmp_path / "w")
    made.pid_file.unlink()
    if made.database.exists():
        made.database.chmod(0o600)
    (made.daemon_dir / "auth-secret").chmod(0o600)
    settings = (
        "embedding: {provider: none}\nmemory: {pipelineV2: {extraction: {provider: rules}}}\n"
    )
    (made.root / "agent.yaml").write_text(settings)
    return made


def looked(workspace: Workspace, **environ: str) -> dict[str, DoctorCheck]:
    """Return every check by name."""
    port = str(free_port())
    home = {"HOME": os.environ["HOME"], "SIGNET_PORT": port, "OLLAMA_HOST": "http://127.0.0.1:9"}
    if (url := engine.url_of(workspace.database)) is not None:
        home[STORAGE_URL] = url
    found = [*examine(workspace, now=clock.now(), environ={**home, **environ})]
    assert len({one.check for one in found}) == len(found)
    return {one.check: one for one in found}


def test_a_sound_workspace_is_told_so_by_every_check(workspace: Workspace) -> None:
    create.create(workspace, now=clock.now())
    with opened(workspace) as db:
        db.write(lambda tx: tx.run("DELETE FROM memory_jobs"))  # they have been waiting since NOON
    found = looked(workspace)
    assert set(found) == (NAMES if workspace.database.exists() else NAMES - OF_THE_FILE)
    assert {one.check for one in found.values() if one.status is not CheckStatus.OK} == {"daemon"}
    assert found["daemon"].fix == "signet daemon start"
    assert all(one.detail for one in found.values())


def test_a_look_changes_nothing(workspace: Workspace) -> None:
    before = {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*") if path.is_file()}
    looked(workspace)
    after = {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*") if path.is_file()}
    assert {path for path in after if path.suffix not in ("", ".db-shm", ".db-wal")} == {
        path for path in before if path.suffix not in ("", ".db-shm", ".db-wal")
    }
    assert all(after[path] == before[path] for path in before)


def test_nothing_there_is_no_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    found = looked(Workspace(tmp_path / "none"))
    assert found["workspace"].status is CheckStatus.FAIL
    assert found["database"].status is CheckStatus.WARN
    assert not (tmp_path / "none").exists()


@pytest.mark.sqlite_file
def test_a_damaged_database_is_a_finding_with_the_way_back(workspace: Workspace) -> None:
    content = bytearray(workspace.database.read_bytes())
    content[8_192:] = bytes(len(content) - 8_192)
    workspace.database.write_bytes(content)
    found = looked(workspace)["database"]
    assert found.status is CheckStatus.FAIL
    assert "signet restore" in str(found.fix)
    workspace.database.write_bytes(b"no database at all, whoever wrote it")
    assert looked(workspace)["database"].status is CheckStatus.FAIL


def test_a_newer_schema_is_refused_by_name(workspace: Workspace) -> None:
    with opened(workspace) as db:
        db.write(lambda tx: tx.run("UPDATE signet_schema_version SET version_num = '9999'"))
    found = looked(workspace)["schema"]
    assert found.status is CheckStatus.FAIL
    assert "9999" in found.detail


def test_open_modes_are_found_and_mended(workspace: Workspace) -> None:
    (workspace.root / ".secrets" / "secrets.enc").chmod(0o644)
    exposed = workspace.database if workspace.database.exists() else workspace.root / ".secrets/key"
    exposed.chmod(0o640)
    found = looked(workspace)["file modes"]
    assert found.status is CheckStatus.FAIL
    assert found.mend is not None
    mends.step(workspace, found.mend).do()
    assert looked(workspace)["file modes"].status is CheckStatus.OK
    assert stat.S_IMODE(exposed.stat().st_mode) == 0o600


def test_a_missing_backup_is_found_and_made(workspace: Workspace) -> None:
    found = looked(workspace)["backup"]
    assert found.status is CheckStatus.WARN
    assert found.mend is not None
    mends.step(workspace, found.mend).do()
    assert looked(workspace)["backup"].status is CheckStatus.OK
    create.create(workspace, now=clock.now())
    for path in workspace.backups_dir.glob("*.zip"):
        path.unlink()
    create.create(workspace, now=clock.now() - timedelta(days=3))
    assert looked(workspace)["backup"].status is CheckStatus.WARN


def test_an_interrupted_restore_is_found_and_finished(workspace: Workspace) -> None:
    made = create.create(workspace, now=NOON)
    with archive.opened(made.path) as reader:
        staged = restore.stage(workspace, reader, now=NOON, tell=lambda size: None)
    wanted = owned(Workspace(staged.folder)), texts(Workspace(staged.folder))
    swap.begin(workspace, swap.plan(workspace, staged.folder, workspace.replaced_dir / "x"))
    found = looked(workspace)["restores"]
    assert found.status is CheckStatus.FAIL
    assert found.mend is not None
    assert str(workspace.replaced_dir / "x") in mends.step(workspace, found.mend).do()
    assert looked(workspace)["restores"].status is CheckStatus.OK
    assert (owned(workspace), texts(workspace)) == wanted


def test_broken_settings_are_a_finding(workspace: Workspace) -> None:
    (workspace.root / "agent.yaml").write_text("embedding: [\n")
    assert looked(workspace)["settings"].status is CheckStatus.FAIL
    (workspace.root / "agent.yaml").write_text("embedding: {provider: nobody}\n")
    assert looked(workspace)["settings"].status is CheckStatus.WARN


@pytest.mark.sqlite_file
def test_vectors_out_of_step_are_a_finding(workspace: Workspace) -> None:
    with opened(workspace) as db:
        db.write(lambda tx: vectors.delete(tx, ["v4"]))
        db.write(lambda tx: tx.run("DELETE FROM embeddings WHERE id = 'v5'"))
    found = looked(workspace)["vectors"]
    assert found.status is CheckStatus.WARN
    assert found.detail.startswith("1 missing from the index, 1 in it")
    assert found.fix == "signet repair resync-vec --apply"


@pytest.mark.sqlite_file
def test_a_lost_full_text_row_is_a_finding_with_its_command(workspace: Workspace) -> None:
    with opened(workspace) as db:
        db.write(lambda tx: tx.run("INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')"))
    found = looked(workspace)["index"]
    assert found.status is not CheckStatus.OK
    assert found.fix == "signet repair check-fts --apply"
    assert found.mend is not None, "and it is safe"


def test_dead_jobs_are_a_finding_that_nobody_mends_unasked(workspace: Workspace) -> None:
    with opened(workspace) as db:
        db.write(
            lambda tx: tx.run("UPDATE memory_jobs SET status = 'dead', failed_at = ?", (_today(),))
        )
    found = looked(workspace)["queue"]
    assert found.status is not CheckStatus.OK
    assert "requeue-dead" in str(found.fix)
    assert found.mend is None, "trying again may cost money"


def _today() -> str:
    return clock.to_text(clock.now())


def test_somebody_else_on_the_port_is_a_finding(workspace: Workspace) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        found = looked(workspace, SIGNET_PORT=str(other.getsockname()[1]))["port"]
    assert found.status is CheckStatus.FAIL
    assert "--port" in str(found.fix)


def test_an_embedding_model_that_is_not_there_is_a_finding(workspace: Workspace) -> None:
    (workspace.root / "agent.yaml").write_text("embedding: {provider: native}\n")
    found = looked(workspace)["embeddings"]
    assert found.status is CheckStatus.WARN
    assert found.fix == "signet models install"


def test_a_clock_that_was_set_back_is_a_finding(workspace: Workspace) -> None:
    later = clock.to_text(clock.now() + timedelta(days=2))
    with opened(workspace) as db:
        db.write(lambda tx: tx.run("UPDATE memories SET created_at = ?", (later,)))
    assert looked(workspace)["clock"].status is CheckStatus.WARN


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/home/nora/.agents", "nfs4"),
        ("/home", "ext4"),
        ("/mnt/a b/c", "cifs"),
        ("/mnt", "overlay"),
    ],
    ids=["network", "local", "space", "root"],
)
def test_the_file_system_is_that_of_the_deepest_mount(
    tmp_path: Path, place: str, kind: str
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "overlay / overlay rw 0 0\n/dev/sda /home ext4 rw 0 0\n"
        "box:/x /home/nora nfs4 rw 0 0\n//box/y /mnt/a\\040b cifs rw 0 0\n"
    )
    assert machine.file_system(Path(place), mounts) == kind
    assert machine.file_system(Path(place), tmp_path / "none") is None


@pytest.fixture
def scene(workspace: Workspace) -> Iterator[Scene]:
    yield Scene(
        workspace=workspace,
        loaded=load(workspace, {}),
        tx=None,
        now=NOON,
    )


def test_a_harness_that_points_elsewhere_is_a_finding(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = HarnessEntry("settings.json", "points to another installation")
    monkeypatch.setattr(harnesses, "connected", lambda workspace: {"claude-code": [entry]})
    found = {one.check: one for one in use.checks(scene)}["harnesses"]
    assert found.status is CheckStatus.FAIL
    assert "claude-code (settings.json)" in found.detail


@pytest.mark.sqlite_file
@pytest.mark.parametrize(
    ("flags", "said"), [(os.ST_RDONLY, "mounted read-only"), (0, "not writable")]
)
def test_a_folder_that_cannot_be_written_is_not_a_damaged_database(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, flags: int, said: str
) -> None:
    writes = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and writes(path, mode))
    disk = SimpleNamespace(f_flag=flags, f_bavail=9, f_blocks=9, f_bfree=9, f_frsize=10**9)
    monkeypatch.setattr(os, "statvfs", lambda _: disk)
    found = looked(workspace)
    assert said in found["workspace"].detail
    assert "damaged" not in found["database"].detail
    assert found["database"].fix is None
