"""Killed at any step, a backup or a restore leaves the old state or the new one, and nothing in between."""

import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from signet.domain.backup import archive, create, kept, restore, swap
from signet.paths import Workspace
from store import mortal
from store.backups import NOON, TEXTS, a_workspace, files, found, owned, save, texts
from support.processes import PYTHONPATH

LATER = "Saved after the backup."


def copies(action: str, workspace: Workspace, folder: Path, *more: str) -> list[Workspace]:
    """Return what a process killed before each of its steps would leave; the last one is what it leaves at its end."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, mortal.__file__, action, str(workspace.root), str(folder), *more],
        env={"PYTHONPATH": PYTHONPATH, "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [Workspace(folder / str(step)) for step in range(int(done.stdout))]


@pytest.mark.sqlite_file
def test_a_backup_killed_at_any_step_harms_nothing_and_leaves_a_whole_archive_or_none(
    tmp_path: Path,
) -> None:
    left = copies("backup", a_workspace(tmp_path / "w"), tmp_path / "killed")
    assert len(left) > 10
    for workspace in left:
        assert texts(workspace) == set(TEXTS)
        for one in kept.backups(workspace):
            with archive.opened(one.path) as reader:
                reader.verify(lambda size: None)
        workspace.backups_dir.mkdir(parents=True, exist_ok=True)
        (workspace.backups_dir / ".x.zip.db.part-journal").write_text("SQLite's own")
        create.create(workspace, now=NOON + timedelta(days=1))
        assert not [*workspace.backups_dir.glob(".*.part*")]
    assert len(kept.backups(left[-1])) == 2


@pytest.mark.sqlite_file
def test_a_restore_killed_at_any_step_ends_old_or_new_and_loses_nothing(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "w")
    shutil.rmtree(workspace.root / "skills")
    backed_up, answers = owned(workspace), found(workspace)
    made = create.create(workspace, tmp_path / "copy.zip", now=NOON)
    save(workspace, LATER)
    (workspace.root / "AGENTS.md").write_text("Be brave.\n")
    old, stays = owned(workspace), files(workspace).items() - owned(workspace).items()
    left = copies("restore", workspace, tmp_path / "killed", str(made.path))
    ends = []
    for step, copy in enumerate(left):
        # Whoever comes next finishes it: another restore, or a start of the daemon.
        finish_by_start(copy) if step % 2 else restore.resume(copy)
        assert not copy.restore_journal.exists()
        now = owned(copy), texts(copy)
        ends.append(now == (backed_up, set(TEXTS)))
        if ends[-1]:
            (aside,) = copy.replaced_dir.iterdir()
            now = files(Workspace(aside)), texts(Workspace(aside))
        assert now == (old, {*TEXTS, LATER})
        assert files(copy).items() - owned(copy).items() == stays
    assert len(ends) > 30
    assert {True, False} == set(ends)
    assert ends == sorted(ends), "once the new state is there it stays"
    assert found(left[-1]) == answers


def test_what_a_killed_restore_had_unpacked_goes_with_the_next_one(tmp_path: Path) -> None:
    workspace = a_workspace(tmp_path / "w")
    made = create.create(workspace, tmp_path / "copy.zip", now=NOON)
    (workspace.restore_dir / "20260101T000000Z").mkdir(parents=True)
    with archive.opened(made.path) as reader:
        staged = restore.stage(workspace, reader, now=NOON, tell=lambda size: None)
    assert [*workspace.restore_dir.iterdir()] == [staged.folder]


def finish_by_start(workspace: Workspace) -> None:
    """Do what a start of the daemon does before it opens the database."""
    workspace.make()
    swap.finish(workspace)
