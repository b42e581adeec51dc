"""`signet harness` and `signet sync`, as a person runs them."""

from pathlib import Path

import pytest

from cli.program import Program
from harnesses.home import Home, a_home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path)


@pytest.fixture
def program(home: Home) -> Program:
    return Program(home=home.path, workspace=home.site.workspace.root)


def test_harnesses_are_connected_looked_at_and_taken_out(home: Home, program: Program) -> None:
    before = home.seen()
    shown = program.run("harness", "install", "claude-code", "codex", "--dry-run")
    assert shown.status == 0 and "+++ " in shown.out and home.seen() == before
    done = program.run("harness", "install", "claude-code", "codex")
    assert done.status == 0 and "Claude Code is connected" in done.out
    assert str(home.path / ".claude/settings.json") in done.out
    again = program.run("harness", "install", "claude-code", "codex")
    assert "Claude Code is connected; no change needed" in again.out
    found = {one["id"]: one for one in program.run("harness", "list", "--json").json()["harnesses"]}
    assert [one for one in found if found[one]["connected"]] == ["claude-code", "codex"]
    home.write(".codex/hooks.json", "{}")
    broken = program.run("harness", "status")
    assert broken.status == 1 and "the Signet entries are missing" in broken.out
    home.write(".codex/hooks.json", before[".codex/hooks.json"])
    out = program.run("harness", "uninstall", "claude-code", "codex")
    assert out.status == 0 and "Codex: disconnected" in out.out
    assert home.seen() == before
    assert program.run("harness", "status").status == 0


def test_what_cannot_be_connected_is_an_error_that_names_it(home: Home, program: Program) -> None:
    home.write(".claude/settings.json", "{ broken")
    refused = program.run("harness", "install", "claude-code")
    assert refused.status == 1 and "settings.json: line 1" in refused.err
    assert home.read(".claude/settings.json") == "{ broken"
    for command in ("list", "status"):
        shown = program.run("harness", command)
        assert "not connected: line 1" in shown.out
        assert "signet harness install claude-code" in shown.err
    assert program.run("harness", "status").status == 1
    home.write(".claude/settings.json", "{}")
    assert program.run("harness", "install", "claude-code").status == 0
    assert program.run("harness", "status").status == 0
    unknown = program.run("harness", "install", "emacs")
    assert unknown.status != 0 and "Valid choices: claude-code" in unknown.err


def test_a_plugin_of_a_harness_is_a_connection(home: Home, program: Program) -> None:
    home.write(".claude/settings.json", '{"enabledPlugins": {"signet@signet": true}}')
    home.write(".codex/config.toml", '[plugins."signet@signet"]\nenabled = true\n')
    shown = program.run("harness", "list")
    assert shown.out.count("connected by its plugin") == 2, shown.out
    assert "claude-code by its plugin" in program.run("status").out
    assert "claude-code, codex connected" in program.run("doctor").out
    removed = program.run("uninstall", "--yes")
    assert "claude plugin uninstall signet@signet" in removed.err
    assert "codex plugin remove signet@signet" in removed.err
    home.write(".claude/settings.json", '{"enabledPlugins": {"signet@signet": false}}')
    assert program.run("harness", "list").out.count("by its plugin") == 1


def test_sync_brings_everything_up_to_date_and_then_says_so(home: Home, program: Program) -> None:
    home.write(".agents/agent.yaml", "harnesses: [claude-code]\nembedding: {provider: none}\n")
    done = program.run("sync")
    assert done.status == 0, done.err
    assert f"Wrote {home.path / '.claude/CLAUDE.md'}" in done.out
    assert "session-start" in home.read(".claude/settings.json")
    assert home.read(".agents/SOUL.md") == "SOUL.md says hello.\n"
    assert ".daemon/" in home.read(".agents/.gitignore")
    assert program.run("sync").out == "Everything up to date\n"


def test_signet_uninstall_removes_what_the_typescript_product_generated(
    home: Home, program: Program
) -> None:
    before = home.whole()
    generated = f"# CLAUDE.md\n# AUTO-GENERATED from {program.workspace}/AGENTS.md by Signet\n"
    home.write(".claude/CLAUDE.md", generated)
    shown = program.run("uninstall", "--dry-run").out
    assert (
        f"Would remove claude-code: Signet's entries in {home.path / '.claude/CLAUDE.md'}" in shown
    )
    assert program.run("uninstall", "--yes").status == 0
    assert home.whole() == before


def test_signet_uninstall_takes_harnesses_out_too(home: Home, program: Program) -> None:
    before = home.seen()
    assert program.run("harness", "install", "opencode", "openclaw").status == 0
    done = program.run("uninstall", "--yes")
    assert done.status == 0 and "Removed opencode" in done.out
    assert home.seen() == before


@pytest.mark.parametrize(("typed", "allowed"), [("\n", True), ("n\n", False)])
def test_a_person_is_asked_whether_openclaw_may_hand_conversations_over(
    home: Home, program: Program, typed: str, allowed: bool
) -> None:
    home.write(".openclaw/openclaw.json", '{"meta": {"lastTouchedVersion": "2026.9.6"}}\n')
    drawn = program.on_terminal("harness", "install", "openclaw", typed=typed, after="Allow it?")
    assert "only to plugins that you allow" in drawn and "OpenClaw is connected" in drawn
    assert f'"allowConversationAccess": {str(allowed).lower()}' in home.read(
        ".openclaw/openclaw.json"
    )
    again = program.on_terminal("harness", "install", "openclaw", typed=typed)
    assert "Allow it?" not in again


def test_without_a_terminal_a_flag_answers_and_its_absence_is_said(
    home: Home, program: Program
) -> None:
    home.write(".openclaw/openclaw.json", '{"meta": {"lastTouchedVersion": "2026.9.6"}}\n')
    silent = program.run("harness", "install", "openclaw")
    assert silent.status == 0 and "--allow-conversations" in silent.err
    assert "allowConversationAccess" not in home.read(".openclaw/openclaw.json")
    assert program.run("harness", "status").status == 1
    assert program.run("harness", "install", "openclaw", "--allow-conversations").status == 0
    assert '"allowConversationAccess": true' in home.read(".openclaw/openclaw.json")
    assert program.run("harness", "status").status == 0
