"""Changes are committed once it has been quiet, and the remote is called now and then."""

from pathlib import Path

import pytest

from signet import config
from signet.process.settings_reload import LiveSettings
from signet_scheduler.git import GitWatch
from support.repositories import Trio, lonely, needs_git, trio
from worker.home import Home

pytestmark = needs_git


@pytest.fixture
def three(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trio:
    lonely(monkeypatch, tmp_path / "home")
    return trio(tmp_path, home.workspace)


def watch(home: Home, **git: object) -> GitWatch:
    """Return a watch with these settings."""
    home.configure({"git": git})
    return GitWatch(LiveSettings(home.workspace, config.load(home.workspace, {})), home.workspace)


def test_a_burst_of_changes_is_one_commit_five_quiet_seconds_later(home: Home, three: Trio) -> None:
    follows = watch(home)
    follows.poll(0.0)
    # Each of another size: some file systems tell times in steps of milliseconds.
    for second in (1.0, 2.0, 6.9):
        three.here.write("SOUL.md", "Calm. " * int(second))
        three.here.write("agents/bea/SOUL.md", "Keen. " * int(second))
        follows.poll(second)
    follows.poll(11.8)
    assert len(three.here.titles) == 1
    follows.poll(11.9)
    follows.poll(30.0)
    assert len(three.here.titles) == 2
    assert three.here.titles[0].endswith("_auto_.gitignore,SOUL.md,agents/bea/SOUL.md")


@pytest.mark.parametrize("switch", ["enabled", "autoCommit"])
def test_whoever_does_not_want_commits_gets_none(home: Home, three: Trio, switch: str) -> None:
    follows = watch(home, **{switch: False})
    follows.poll(0.0)
    three.here.write("SOUL.md", "Calmer.\n")
    follows.poll(1.0)
    follows.poll(60.0)
    assert len(three.here.titles) == 1


def test_only_what_people_and_agents_write_leads_to_a_commit(home: Home, three: Trio) -> None:
    follows = watch(home)
    follows.poll(0.0)
    for name in ("memory/MEMORY.backup-1.md", "memory/x.db", "agents/bea/workspace/AGENTS.md"):
        three.here.write(name, "x")
    follows.poll(1.0)
    follows.poll(60.0)
    assert len(three.here.titles) == 1
    for number, name in enumerate(("memory/2026-05-01.md", "skills/tea/SKILL.md", "USER.md")):
        three.here.write(name, "x")
        follows.poll(100.0 + 10 * number)
        follows.poll(105.0 + 10 * number)
        assert len(three.here.titles) == 2 + number


def test_the_remote_is_called_each_interval_and_less_often_while_that_fails(
    home: Home, three: Trio
) -> None:
    follows = watch(home, syncInterval=60)
    three.here.commit("USER.md", "Ada\n")
    follows.poll(0.0)
    follows.poll(59.0)
    assert three.there.git("ls-remote", "origin", "main").split()[0] != head(three)
    follows.poll(60.0)
    assert three.there.git("ls-remote", "origin", "main").split()[0] == head(three)
    away = three.remote.rename(three.remote.with_name("away.git"))
    follows.poll(120.0)
    away.rename(three.remote)
    three.here.commit("USER.md", "Ada!\n")
    follows.poll(239.0)
    assert three.there.git("ls-remote", "origin", "main").split()[0] != head(three)
    follows.poll(240.0)
    assert three.there.git("ls-remote", "origin", "main").split()[0] == head(three)


def head(three: Trio) -> str:
    """Return the newest commit of the workspace."""
    return three.here.git("rev-parse", "HEAD")
