"""A harness is asked whether it accepts its settings; a refusal undoes the installation, silence does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from harnesses.home import CODEX_CONFIG, Home, a_home
from signet.domain.harnesses import codex, programs, records, registry
from support.harness import install as stand_in

#: Refuses settings that have a server of ours.
REFUSES = """#!/bin/sh
echo "WARNING: slow disk" >&2
grep -q mcp_servers.signet "$HOME/.codex/config.toml" || exit 0
echo "unknown server: signet"
exit 1
"""
#: Starts another program, which keeps its output open, and never ends.
HANGS = "#!/bin/sh\nsleep 60 &\nsleep 60\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = a_home(tmp_path)
    environ = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
    return Home(home.path, replace(home.site, environ=environ))


def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    stand_in(tmp_path / "bin", monkeypatch, "codex", script=script)


def test_what_a_harness_refuses_is_taken_back_and_said(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, monkeypatch, REFUSES)
    before = home.seen()
    done = registry.connect(home.site, "codex")
    assert not done.success
    assert "codex rejects its settings" in done.message
    assert "`codex mcp list` says: WARNING: slow disk unknown server: signet" in done.message
    assert home.seen() == before and not list(home.path.rglob("*.bak"))
    assert not records.read(home.site.workspace, "codex").is_installed


def test_a_refusal_of_a_change_leaves_what_was_connected_before(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, monkeypatch, "#!/bin/sh\nexit 0\n")
    assert registry.connect(home.site, "codex").success
    before, record = home.seen(), records.read(home.site.workspace, "codex")
    program(tmp_path, monkeypatch, REFUSES)
    moved = replace(home.site, signet="/usr/bin/env", signet_mcp="/usr/bin/env")
    assert not registry.connect(moved, "codex").success
    found = records.read(home.site.workspace, "codex")
    assert "codex rejects its settings" in found.failure
    assert home.seen() == before and replace(found, failure="") == record
    registry.disconnect(home.site, "codex")
    assert home.read(".codex/config.toml") == CODEX_CONFIG


@pytest.mark.parametrize(
    ("script", "warning"),
    [(None, "was not found on PATH"), (HANGS, "did not end within"), ("no program", "not be run")],
    ids=["absent", "hangs", "broken"],
)
def test_without_an_answer_it_is_connected_with_a_warning(
    home: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str | None,
    warning: str,
) -> None:
    monkeypatch.setattr(programs, "CHECK_SECONDS", 0.2)
    if script:
        program(tmp_path, monkeypatch, script)
    done = registry.connect(home.site, "codex")
    assert done.success and any(warning in one for one in done.warnings)
    again = registry.connect(home.site, "codex")
    assert again.success and again.warnings == (codex.APPROVAL,)


def test_nothing_is_asked_when_nothing_is_changed(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, monkeypatch, '#!/bin/sh\necho asked >> "$HOME/asked"\n')
    assert registry.connect(home.site, "codex", dry_run=True).success
    assert not (home.path / "asked").exists()
    for _ in range(2):
        assert registry.connect(home.site, "codex").success
    assert home.read("asked") == "asked\n"
