"""How the command lines of hooks name a program in the shells of Windows and elsewhere."""

import shlex
import sys
from pathlib import Path

import pytest

from signet.domain.harnesses import claude, codex, entries, gemini_cli, programs
from signet.domain.harnesses.models import Site
from signet.domain.harnesses.programs import Shell
from signet.paths import Workspace

PLAIN = r"C:\Users\anna\.local\bin\signet.exe"
SPACED = r"C:\Program Files\Signet\signet.exe"


def lines(monkeypatch: pytest.MonkeyPatch, home: Path, program: str) -> list[str]:
    """Return the command that each harness would run at a session's start on Windows."""
    monkeypatch.setattr(sys, "platform", "win32")
    site = Site(workspace=Workspace(home / "ws"), home=home, signet=program)
    found = []
    for one in (claude.ClaudeCode(), codex.Codex(), gemini_cli.GeminiCli()):
        text = one.hooks(site).put("{}") or ""
        found += entries.our_commands(text, one.events[0][0])
    return [one.partition(" hook ")[0] for one in found]


def test_a_path_that_needs_no_quotes_is_the_same_in_every_shell_of_windows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert set(lines(monkeypatch, tmp_path, PLAIN)) == {"C:/Users/anna/.local/bin/signet.exe"}


def test_a_path_with_a_space_is_quoted_as_the_shell_of_the_harness_reads_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert lines(monkeypatch, tmp_path, SPACED) == [
        "'C:/Program Files/Signet/signet.exe'",  # Git Bash
        '"C:/Program Files/Signet/signet.exe"',  # cmd.exe
        '& "C:/Program Files/Signet/signet.exe"',  # PowerShell
    ]


@pytest.mark.parametrize("shell", Shell)
@pytest.mark.parametrize(
    "program",
    [
        *("signet", "/opt/signet/bin/signet", "C:/Users/anna/signet.exe", "C:/Program Files/s.exe"),
        *(
            "C:/Users/O'Brien & Co/s.exe",
            "C:/Users/äöü/s.exe",
            "D:/a (x86)/s.exe",
            "E:/c$d;e/s.exe",
        ),
    ],
)
def test_the_program_of_a_line_is_the_one_that_was_quoted(program: str, shell: Shell) -> None:
    line = f"{programs.quoted(program, shell)} hook session-start -H codex"
    assert programs.program_of(line) == program
    if shell is Shell.SH:
        assert shlex.split(line)[0] == program


@pytest.mark.parametrize("line", ["", "'C:/half", "''"])
def test_a_line_without_a_program_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"no program|No closing quotation"):
        programs.program_of(line)


def test_backslashes_stay_where_a_path_may_have_them() -> None:
    assert programs.slashed("/srv/a\\b/signet") == "/srv/a\\b/signet"
    assert programs.shell_here(Shell.POWERSHELL) is Shell.SH
