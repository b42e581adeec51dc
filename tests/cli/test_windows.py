"""The client part without anything of POSIX: hooks, commands, `signet-mcp` and what they leave for later.

Each program is a Python from which what Windows does not have was taken (support/windows/sitecustomize.py), connected
to a daemon that is one of this machine.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.program import COMMAND_SECONDS, PATIENT, SOURCES, Done, Program
from signet.cli import hook_forms
from signet.paths import Workspace
from support.processes import eventually
from support.wire import Wire

SHIM = Path(__file__).parents[1] / "support" / "windows"
LONG_AGO = (1.0, 1.0)


def run(program: Program, *arguments: str, stdin: str = "", module: str = "main") -> Done:
    """Run a command of ours as on Windows."""
    paths = os.pathsep.join(map(str, (SHIM, *SOURCES)))
    done = subprocess.run(
        [sys.executable, "-m", f"signet.cli.{module}", *arguments],
        input=stdin,
        env=program.environment(PYTHONPATH=paths, **PATIENT),
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_nothing_of_posix_is_left_for_the_client(alone: Program) -> None:
    script = (
        "import os, sys\n"
        "assert sys.platform == 'win32' and not hasattr(os, 'fork')\n"
        "try:\n  import fcntl\nexcept ImportError:\n  print('gone')"
    )
    environ = alone.environment(PYTHONPATH=str(SHIM))
    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True)
    assert done.stdout == b"gone\n", done.stderr


def test_a_machine_without_posix_works_through_a_day_without_its_daemon(
    alone: Program, served: Program, tmp_path: Path
) -> None:
    said = {"session_id": "w1", "cwd": "C:\\work\\skua", "hook_event_name": "SessionStart"}
    log = tmp_path / "log.txt"
    log.write_text("User: where do skuas nest?\nAssistant: The skua nests at Hermaness.\n")
    workspace = Workspace(alone.workspace)
    with Wire(served.port) as wire:
        assert "Windows cannot run" in run(alone, "daemon", "start").err
        assert run(alone, "connect", wire.url).status == 0
        assert run(alone, "remember", "The skua steals from gannets.").status == 0
        assert "steals" in run(alone, "recall", "skua").out
        start = run(alone, "hook", "session-start", "-H", "codex", stdin=json.dumps(said))
        assert (start.status, start.err) == (0, "")
        wire.cut()
        ended = {**said, "transcript_path": str(log)}
        end = run(alone, "hook", "session-end", "-H", "codex", stdin=json.dumps(ended))
        assert (end.status, "saved, will be sent later" in end.err) == (0, True)
        kept = run(alone, "remember", "The skua is back in April.")
        assert kept.out.startswith("Stored locally: ")
        calls = [{"name": "memory_store", "arguments": {"content": "Skuas dive at heads."}}]
        asked = [
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": one} for one in calls
        ]
        lines = "".join(f"{json.dumps(one)}\n" for one in asked)
        assert '"id":1' in run(alone, stdin=lines, module="mcp").out
        wire.mend()
        for one in (workspace.away_file, *workspace.spool_dir.glob("*.json")):
            os.utime(one, LONG_AGO)
        run(alone, "hook", "user-prompt-submit", "-H", "codex", stdin=json.dumps(said))
        eventually(lambda: not [*workspace.spool_dir.iterdir()])
    found = served.run("recall", "skua", "--json").out
    assert "back in April" in found and "dive at heads" in found


@pytest.mark.parametrize(
    ("log", "is_served"),
    [
        ("C:\\Users\\anna\\.claude\\projects\\p\\s.jsonl", False),
        ("C:\\Users\\anna\\AppData\\Cursor\\s.jsonl", True),
    ],
)
def test_whose_session_it_is_is_told_from_a_path_of_windows(
    log: str, is_served: bool, tmp_path: Path
) -> None:
    ours = tmp_path / ".cursor" / "hooks.json"
    ours.parent.mkdir()
    ours.write_text("C:/bin/signet.exe hook session-start -H cursor")
    said = {"transcript_path": log, "cursor_version": "1"}
    assert hook_forms.repeats("claude-code", said, tmp_path) is is_served
