"""A backup holds everything, can be trusted, and comes back as it was; what cannot be trusted is refused untouched."""

import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from migrations import upstream
from signet.db import migrate, snapshot
from signet.db.migrate import SchemaTooNew
from signet.domain.backup import archive, create, kept, restore, swap
from signet.domain.backup.kept import BackupReason, locked_backups
from signet.domain.backup.models import (
    DATABASE,
    BadBackup,
    BadTarget,
    Manifest,
    NoRoom,
)
from signet.errors import Conflict, Invalid, StorageDamaged, StorageFull, Unavailable
from signet.paths import Workspace
from store.backups import (
    MACHINE,
    NOON,
    OWNED,
    STAYS,
    TEXTS,
    a_workspace,
    files,
    found,
    opened,
    owned,
    save,
    texts,
)

Change = Callable[[dict[str, bytes]], None]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return a_workspace(tmp_path / "w")


def silent(*_: int) -> None:
    """Hear of progress."""


def put_back(workspace: Workspace, path: Path) -> Path:
    """Restore a backup and return what keeps the state before."""
    with archive.opened(path) as reader:
        restore.check(reader, silent)
        staged = restore.stage(workspace, reader, now=NOON, tell=silent)
    return restore.exchange(workspace, staged, now=NOON)


def rewritten(path: Path, change: Change) -> Path:
    """Return a copy of an archive in which something was changed."""
    with zipfile.ZipFile(path) as given:
        held = {name: given.read(name) for name in given.namelist()}
    change(held)
    made = path.with_name("changed.zip")
    with zipfile.ZipFile(made, "w") as target:
        for name, content in held.items():
            target.writestr(name, content)
    return made


def manifest_with(**facts: object) -> Change:
    """Return a change of some facts of the manifest."""

    def change(held: dict[str, bytes]) -> None:
        held["manifest.json"] = json.dumps({**json.loads(held["manifest.json"]), **facts}).encode()

    return change


@pytest.mark.sqlite_file
def test_what_comes_back_is_what_was_there_with_the_same_answers(
    workspace: Workspace, tmp_path: Path
) -> None:
    before = (
        owned(workspace),
        texts(workspace),
        found(workspace),
        snapshot.counts(workspace.database),
    )
    with opened(workspace):  # as beside a daemon, with a log that was not moved yet
        made = create.create(workspace, tmp_path / "copy.zip", now=NOON)
    assert made.manifest.counts == before[3]
    shutil.rmtree(workspace.root)
    workspace.make()
    put_back(workspace, tmp_path / "copy.zip")
    again = (
        owned(workspace),
        texts(workspace),
        found(workspace),
        snapshot.counts(workspace.database),
    )
    assert again == before
    assert len(found(workspace)["near"]) == 3  # type: ignore[arg-type]  # a list of rows


@pytest.mark.sqlite_file
def test_a_backup_beside_a_writer_is_one_instant(workspace: Workspace, tmp_path: Path) -> None:
    with opened(workspace) as db:
        db.write(lambda tx: tx.run("CREATE TABLE pairs (a, b)"))
        db.write(lambda tx: tx.run("INSERT INTO pairs VALUES (0, 0)"))

        def both(done: int, total: int) -> None:
            db.write(lambda tx: tx.run("UPDATE pairs SET a = a + 1, b = b + 1"))

        create.create(workspace, tmp_path / "copy.zip", now=NOON, tell=both)
        assert db.read(lambda tx: tx.value("SELECT a FROM pairs")) > 0
    put_back(workspace, tmp_path / "copy.zip")
    with opened(workspace) as db:
        assert db.read(lambda tx: tx.value("SELECT count(*) FROM pairs WHERE a = b")) == 1


def test_only_its_owner_may_read_it_and_it_holds_what_a_person_owns(workspace: Workspace) -> None:
    made = create.create(workspace, now=NOON)
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.path.parent.stat().st_mode) == 0o700
    assert {entry.path for entry in made.manifest.files} == {DATABASE, *OWNED}
    assert not {entry.path for entry in made.manifest.files} & {*MACHINE, *STAYS}
    assert not [*made.path.parent.glob(".*.part")]


def test_what_is_not_in_it_is_said(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "dotfiles").symlink_to(tmp_path)
    os.mkfifo(workspace.root / "pipe")
    made = create.create(workspace, now=NOON)
    left_out = {one.path: one.why for one in made.manifest.leftOut}
    assert set(left_out) == {"dotfiles", "pipe", ".git", ".env", "skills/tidy/.cursor"}
    assert left_out["dotfiles"] == f"a link to {tmp_path}"
    assert "push yours to a remote" in left_out[".git"]


def test_a_memory_folder_that_lies_elsewhere_is_in_it(workspace: Workspace, tmp_path: Path) -> None:
    workspace.memory_dir.rename(tmp_path / "elsewhere")
    workspace.memory_dir.symlink_to(tmp_path / "elsewhere")
    made = create.create(workspace, now=NOON)
    assert "memory/2026-05-01-notes.md" in {entry.path for entry in made.manifest.files}
    put_back(workspace, made.path)
    assert texts(workspace) == set(TEXTS)


@pytest.mark.sqlite_file
def test_the_state_before_a_restore_is_kept_and_comes_back(workspace: Workspace) -> None:
    made = create.create(workspace, now=NOON)
    save(workspace, "Later.")
    (workspace.root / "AGENTS.md").write_text("Be brave.\n")
    (workspace.root / "new.md").write_text("New.\n")
    later = files(workspace)
    aside = put_back(workspace, made.path)
    assert texts(workspace) == set(TEXTS)
    assert owned(workspace) == OWNED
    assert texts(Workspace(aside)) == {*TEXTS, "Later."}
    back = restore.exchange(workspace, restore.adopt(workspace, aside, now=NOON), now=NOON)
    assert (files(workspace), texts(workspace)) == (later, {*TEXTS, "Later."})
    assert texts(Workspace(back)) == set(TEXTS)
    assert not aside.exists()


def test_what_this_run_and_the_caches_own_stays_where_it_is(workspace: Workspace) -> None:
    made = create.create(workspace, now=NOON)
    (workspace.root / "node_modules").mkdir()
    put_back(workspace, made.path)
    assert (workspace.root / "node_modules").is_dir()
    assert (workspace.daemon_dir / "pid").read_text() == "1"
    assert made.path.exists()


def test_the_key_of_tokens_stays_where_there_is_one(workspace: Workspace) -> None:
    made = create.create(workspace, now=NOON)
    workspace.auth_secret.write_text("another, because that one leaked")
    put_back(workspace, made.path)
    assert workspace.auth_secret.read_text() == "another, because that one leaked"


def test_a_backup_waits_until_an_interrupted_restore_is_finished(workspace: Workspace) -> None:
    workspace.restore_journal.write_text("{}")
    with pytest.raises(Unavailable, match="signet daemon start"):
        create.create(workspace, now=NOON)


def test_modes_and_times_come_back(workspace: Workspace) -> None:
    script = workspace.root / "skills" / "tidy" / "run.sh"
    script.write_text("true\n")
    script.chmod(0o750)
    os.utime(script, (1_000_000_000, 1_000_000_000))
    put_back(workspace, create.create(workspace, now=NOON).path)
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert script.stat().st_mtime == 1_000_000_000


def test_a_database_of_the_earlier_program_is_upgraded_before_it_takes_the_place(
    tmp_path: Path,
) -> None:
    old, workspace = Workspace(tmp_path / "old"), a_workspace(tmp_path / "w")
    old.make()
    upstream.write(old.database, 14).close()
    made = create.create(old, tmp_path / "old.zip", now=NOON)
    assert made.manifest.schema is None
    with archive.opened(made.path) as reader:
        staged = restore.stage(workspace, reader, now=NOON, tell=silent)
    assert staged.migrated_from == "an earlier program"
    restore.exchange(workspace, staged, now=NOON)
    assert migrate.is_current(workspace.database)
    assert not [*workspace.memory_dir.glob("*.bak-*")]


def refused(workspace: Workspace, path: Path, words: str) -> None:
    """Check that a restore is refused with these words and that nothing has changed."""
    before = files(workspace), texts(workspace)
    with pytest.raises((BadBackup, SchemaTooNew), match=words):
        put_back(workspace, path)
    assert (files(workspace), texts(workspace)) == before
    assert not workspace.restore_journal.exists()


def _flip(held: dict[str, bytes]) -> None:
    held["files/AGENTS.md"] = b"Be rude.\n"


def _truncate(held: dict[str, bytes]) -> None:
    held[f"files/{DATABASE}"] = held[f"files/{DATABASE}"][:-4096]


def _drop(held: dict[str, bytes]) -> None:
    del held["files/AGENTS.md"]


def _add(held: dict[str, bytes]) -> None:
    held["files/stowaway"] = b"1"


def _climb(held: dict[str, bytes]) -> None:
    held["files/../out"] = held.pop("files/AGENTS.md")
    held["manifest.json"] = held["manifest.json"].replace(b'"AGENTS.md"', b'"../out"')


def _link_out(held: dict[str, bytes]) -> None:
    found = json.loads(held["manifest.json"])
    found["files"].append({"path": "skills", "link": "/tmp"})
    held["manifest.json"] = json.dumps(found).encode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_flip, "AGENTS.md in it is damaged"),
        (_truncate, "memories.db in it is damaged"),
        (_drop, "differ from its manifest"),
        (_add, "differ from its manifest"),
        (_climb, "outside the workspace"),
        (_link_out, "cannot be read"),
        (manifest_with(format=2, version="9.9"), r"format 2 \(made by Signet 9.9\)"),
        (manifest_with(schema="9999"), "has schema 9999, this version of Signet knows 00"),
        (manifest_with(files=5), "cannot be read"),
        (manifest_with(counts=None), "cannot be read"),
        (lambda held: held.pop("manifest.json"), "no manifest.json"),
    ],
    ids=[
        "changed-file", "cut-database", "missing-file", "strange-file", "climbing-path", "link",
        "newer-format", "newer-schema", "no-files", "no-counts", "no-manifest",
    ],
)  # fmt: skip
def test_an_archive_that_is_not_what_was_made_is_refused_and_nothing_changes(
    workspace: Workspace, change: Change, words: str
) -> None:
    made = create.create(workspace, now=NOON)
    save(workspace, "Later.")
    refused(workspace, rewritten(made.path, change), words)


def test_a_cut_file_and_a_file_of_another_kind_are_no_backups(
    workspace: Workspace, tmp_path: Path
) -> None:
    made = create.create(workspace, now=NOON)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(made.path.read_bytes()[:-100])
    refused(workspace, cut, "is not a backup")
    cut.write_text("not a zip")
    refused(workspace, cut, "is not a backup")


@pytest.mark.sqlite_file
def test_a_damaged_database_is_not_put_in_place(workspace: Workspace, tmp_path: Path) -> None:
    """Hashes tell what happened to an archive; that it holds a sound database is checked as well."""
    with opened(workspace) as db:
        db.write(lambda tx: tx.run("CREATE TABLE many (x UNIQUE)"))
        db.write(lambda tx: tx.many("INSERT INTO many VALUES (?)", [(n,) for n in range(5_000)]))

    def damage(held: dict[str, bytes]) -> None:
        import hashlib

        name = f"files/{DATABASE}"
        content = bytearray(held[name])
        content[-200_000:-100_000] = bytes(100_000)
        held[name] = bytes(content)
        found = json.loads(held["manifest.json"])
        found["files"][0]["sha256"] = hashlib.sha256(content).hexdigest()
        held["manifest.json"] = json.dumps(found).encode()

    made = create.create(workspace, now=NOON)
    refused(workspace, rewritten(made.path, damage), "database in it is damaged")
    assert not [*workspace.restore_dir.iterdir()]


def test_a_workspace_in_use_is_not_exchanged(workspace: Workspace) -> None:
    import fcntl

    made = create.create(workspace, now=NOON)
    with workspace.lock_file.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Conflict, match="using the workspace"):
            put_back(workspace, made.path)
    put_back(workspace, made.path)


def test_one_backup_at_a_time(workspace: Workspace) -> None:
    with locked_backups(workspace), pytest.raises(Unavailable, match="Another backup"):
        create.create(workspace, now=NOON)
    create.create(workspace, now=NOON)


def test_without_a_database_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="nothing to back up"):
        create.create(Workspace(tmp_path), now=NOON)
    assert not [*tmp_path.iterdir()]


@pytest.mark.sqlite_file
def test_a_damaged_database_is_not_backed_up_as_if_it_were_sound(workspace: Workspace) -> None:
    content = bytearray(workspace.database.read_bytes())
    content[8_192:] = bytes(len(content) - 8_192)
    workspace.database.write_bytes(content)
    with pytest.raises(StorageDamaged):
        create.create(workspace, now=NOON)
    assert [*workspace.backups_dir.iterdir()] == [workspace.backups_dir / ".lock"]


def test_where_a_backup_may_go(workspace: Workspace, tmp_path: Path) -> None:
    for target, words in (
        (tmp_path / "no" / "folder.zip", "mkdir -p"),
        (workspace.root / "skills" / "b.zip", "is in the workspace"),
        (workspace.root / "AGENTS.md", "is in the workspace"),
    ):
        with pytest.raises(BadTarget, match=words):
            create.create(workspace, target, now=NOON)
    own = tmp_path / "thesis.doc"
    own.write_text("Years of work.")
    with pytest.raises(BadTarget, match="exists and is not a Signet backup"):
        create.create(workspace, own, now=NOON)
    assert own.read_text() == "Years of work."
    assert create.create(workspace, tmp_path, now=NOON).path.parent == tmp_path
    assert create.create(workspace, tmp_path / "again.zip", now=NOON).path.exists()
    assert create.create(workspace, tmp_path / "again.zip", now=NOON).path.exists()


def test_the_newest_seven_days_and_three_bulk_copies_stay_and_every_one_of_a_person(
    workspace: Workspace,
) -> None:
    first = create.create(workspace, now=NOON)
    for day in range(1, 9):
        for reason in BackupReason:
            shutil.copy(
                first.path, kept.new_path(workspace.backups_dir, reason, NOON + timedelta(days=day))
            )
    create.create(workspace, reason=BackupReason.DAILY, now=NOON + timedelta(days=9))
    left = kept.backups(workspace)
    numbers = {reason: sum(one.reason is reason for one in left) for reason in BackupReason}
    assert numbers == {
        BackupReason.MANUAL: 9,
        BackupReason.DAILY: 7,
        BackupReason.BEFORE_FORGET: 3,
    }
    days = [one.made_at for one in left if one.reason is BackupReason.DAILY]
    assert days == [NOON + timedelta(days=day) for day in range(9, 2, -1)]
    assert left[0].bytes == left[0].path.stat().st_size


@contextmanager
def with_free(monkeypatch: pytest.MonkeyPatch, size: int) -> Iterator[None]:
    with monkeypatch.context() as patch:
        usage = shutil.disk_usage("/")._replace(free=size)
        patch.setattr(shutil, "disk_usage", lambda path: usage)
        yield


def test_too_little_disk_is_refused_with_both_numbers_before_anything_is_written(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        with_free(monkeypatch, 10_000_000),
        pytest.raises(NoRoom, match=r"10\.0 MB free") as refusal,
    ):
        create.create(workspace, now=NOON)
    assert refusal.value.facts["freeBytes"] == 10_000_000
    assert isinstance(refusal.value, StorageFull)
    assert not kept.backups(workspace)
    made = create.create(workspace, now=NOON)
    with with_free(monkeypatch, 10_000_000), pytest.raises(NoRoom, match="Nothing was changed"):
        put_back(workspace, made.path)
    assert texts(workspace) == set(TEXTS)


@pytest.mark.sqlite_file
def test_a_start_between_two_moves_leaves_nothing_in_the_way(workspace: Workspace) -> None:
    """A start makes an empty memory folder before it finishes the exchange, and a program may have made a file."""
    made = create.create(workspace, now=NOON)
    save(workspace, "Later.")
    with archive.opened(made.path) as reader:
        staged = restore.stage(workspace, reader, now=NOON, tell=silent)
    aside = workspace.replaced_dir / "x"
    swap.begin(workspace, swap.plan(workspace, staged.folder, aside))
    workspace.memory_dir.rename(aside / "memory")
    (workspace.root / "agent.yaml").rename(aside / "agent.yaml")
    workspace.make()
    (workspace.root / "agent.yaml").write_text("late: true\n")
    assert swap.finish(workspace) is not None
    assert (owned(workspace), texts(workspace)) == (OWNED, set(TEXTS))
    assert texts(Workspace(aside)) == {*TEXTS, "Later."}
    assert (aside / "agent.yaml.late-1").read_text() == "late: true\n"
    assert swap.finish(workspace) is None


def test_a_manifest_says_the_same_after_it_was_written_and_read(workspace: Workspace) -> None:
    made = create.create(workspace, now=NOON)
    assert Manifest.from_json(made.manifest.to_json().encode()) == made.manifest
    with archive.opened(made.path) as reader:
        assert reader.manifest == made.manifest
