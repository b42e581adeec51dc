"""The commit that happens by itself, and what is never in it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from signet.domain.gitsync.guarded import IGNORED, commit, title_of
from signet.domain.gitsync.repository import Repository
from signet.paths import Workspace
from support.repositories import Trio, lonely, needs_git, trio

NOW = datetime(2026, 5, 1, 12, 30, 5, tzinfo=UTC)
PRIVATE = (
    ".daemon/logs/daemon.log",
    ".secrets/secrets.enc",
    "memory/memories.db",
    "memory/memories.db-wal",
    "memory/MEMORY.backup-2026.md",
)


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trio:
    lonely(monkeypatch, tmp_path / "home")
    return trio(tmp_path, Workspace(tmp_path / "agents"))


def made(three: Trio) -> str | None:
    """Commit what has changed."""
    return commit(Repository(three.workspace), now=NOW)


@needs_git
def test_everything_is_committed_but_data_and_secrets(three: Trio) -> None:
    (three.here.root / ".gitignore").write_bytes(b"mine\r\n.daemon/")
    for name in PRIVATE:
        three.here.write(name, "private")
    three.here.write("memory/2026-05-01.md", "A day.\n")
    three.here.write("agents/bea/SOUL.md", "Busy.\n")
    assert made(three)
    assert three.here.tracked == {
        ".gitignore",
        "SOUL.md",
        "memory/2026-05-01.md",
        "agents/bea/SOUL.md",
    }
    lines = (three.here.root / ".gitignore").read_text().splitlines()
    assert lines[0] == "mine" and set(IGNORED) <= set(lines)
    assert made(three) is None, "nothing is new"
    assert len(three.here.titles) == 2


@needs_git
def test_what_was_tracked_is_untracked_and_its_file_stays(three: Trio) -> None:
    (three.here.root / ".gitignore").write_text("!.secrets/\n!memory/*.db\n")
    for name in PRIVATE:
        three.here.write(name, "private")
    three.here.git("add", "--force", "--all")
    three.here.git("commit", "--quiet", "--message", "too much")
    assert set(PRIVATE) <= three.here.tracked
    assert made(three)
    assert three.here.tracked == {".gitignore", "SOUL.md"}
    assert all((three.here.root / name).read_text() == "private" for name in PRIVATE)


@needs_git
def test_a_merge_that_is_under_way_is_not_committed(three: Trio) -> None:
    (three.here.root / ".git" / "MERGE_HEAD").write_text(three.here.git("rev-parse", "HEAD"))
    three.here.write("SOUL.md", "<<<<<<< ours\n")
    assert made(three) is None
    assert len(three.here.titles) == 1


@needs_git
def test_hooks_and_keys_of_a_person_are_left_out(three: Trio) -> None:
    hook = three.here.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    three.here.git("config", "commit.gpgsign", "true")
    three.here.write("SOUL.md", "Calmer.\n")
    assert made(three)


@needs_git
def test_a_new_repository_gets_its_first_commit(tmp_path: Path, three: Trio) -> None:
    fresh = Workspace(tmp_path / "fresh")
    fresh.root.mkdir()
    assert commit(Repository(fresh), now=NOW) is None, "no repository: nothing is made one"
    Repository(fresh).run("init", "--quiet")
    assert commit(Repository(fresh), now=NOW)


def test_the_title_says_when_and_what() -> None:
    when = f"{NOW.astimezone():%Y-%m-%dT%H-%M-%S}_auto_"
    assert title_of(["SOUL.md", "memory/a b.md"], NOW) == f"{when}SOUL.md,memory/a_b.md"
    assert len(title_of(["x" * 90], NOW)) == len(when) + 50
