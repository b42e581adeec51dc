"""The home of a person beside a real daemon: nothing in it changes but what somebody asked for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program
from harnesses.home import CLAUDE_MD, Home, a_home
from signet.domain.harnesses import registry
from support.processes import eventually

ALL = ("claude-code", "opencode", "openclaw", "codex")
SETUP = ("setup", "--non-interactive", "--skip-git")
CHOSEN = ("--embedding-provider", "none", "--extraction-provider", "rules")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = a_home(tmp_path)
    made.write(".claude/CLAUDE.md", CLAUDE_MD)
    made.write(".config/opencode/AGENTS.md", "Be brief.")
    return made


@pytest.fixture
def program(home: Home) -> Iterator[Program]:
    made = Program(home=home.path, workspace=home.site.workspace.root)
    yield made
    made.run("daemon", "stop")


def restarted(program: Program) -> None:
    """Start the daemon anew, and wait until its scheduler has synced and synced once more."""
    program.run("daemon", "stop")
    synced(program)


def synced(program: Program) -> None:
    """Wait until the scheduler has synced and synced once more; starts a daemon that does not run."""
    for _ in range(2):
        done = program.run("daemon", "start", "--port", str(program.port))
        assert done.status == 0, done.err
        path = program.workspace / registry.ARCHITECTURE
        eventually(path.exists)
        path.unlink()
        eventually(path.exists)


def test_a_daemon_that_nobody_connected_to_anything_leaves_the_home_alone(
    home: Home, program: Program
) -> None:
    before = home.whole()
    done = program.run(*SETUP, *CHOSEN, "--port", str(program.port))
    assert done.status == 0, done.err
    assert "harnesses: []" in home.read(".agents/agent.yaml")
    synced(program)
    assert home.whole() == before
    listed = home.read(".agents/agent.yaml").replace("harnesses: []", f"harnesses: {[*ALL]}")
    home.write(".agents/agent.yaml", listed)
    restarted(program)
    assert home.whole() == before, "a list alone connects nothing"
    assert program.run("uninstall", "--yes").status == 0
    assert home.whole() == before


def test_what_was_connected_goes_without_a_trace_after_starts_and_changes(
    home: Home, program: Program
) -> None:
    before = home.whole()
    shown = program.run("harness", "install", *ALL, "--dry-run").out
    assert shown.count("+<!-- SIGNET:START -->") == 2 and home.whole() == before
    done = program.run(*SETUP, *CHOSEN, "--harness", ",".join(ALL), "--port", str(program.port))
    assert done.status == 0, done.err
    assert home.read(".claude/CLAUDE.md").startswith(CLAUDE_MD + "\n<!-- SIGNET:START -->")
    connected = home.whole()
    home.write(".agents/AGENTS.md", "Other rules.\n")
    synced(program)
    assert home.whole() == connected
    home.write(".codex/hooks.json", before[".codex/hooks.json"])
    chosen = home.whole()
    restarted(program)
    again = program.run(*SETUP, "--port", str(program.port))
    assert "disconnected by hand" in again.out and "signet harness install codex" in again.out
    assert home.whole() == chosen
    assert program.run("harness", "install", "codex").status == 0
    assert home.whole() == connected
    assert program.run("uninstall", "--yes").status == 0
    assert home.whole() == before
