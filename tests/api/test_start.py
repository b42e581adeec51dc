"""What the API process does when it must not or cannot serve."""

import subprocess
import sys
from pathlib import Path

from support.http import a_workspace, environment
from support.ports import free_port
from support.processes import PATIENCE_SECONDS, PYTHONPATH


def start(folder: Path, settings: str = "", **more: str) -> tuple[int, str, int]:
    """Run the API until it ends by itself; return its exit code, what it said on stderr, and its port."""
    port = free_port()
    ended = subprocess.run(
        [sys.executable, "-m", "signet_api.main"],
        env={**environment(a_workspace(folder, settings), port), "PYTHONPATH": PYTHONPATH, **more},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return ended.returncode, ended.stderr, port


def test_an_unknown_mode_is_refused_and_not_read_as_local(tmp_path: Path) -> None:
    code, said, _ = start(tmp_path / "agents", "auth:\n  mode: loccal\n")
    assert (code, said.count("\n")) == (1, 1)
    assert (
        "Refusing to start: agent.yaml: auth.mode: one of local, team, hybrid (did you mean local?) is expected."
        in said
    )


def test_upstreams_name_of_the_mode_is_not_ignored(tmp_path: Path) -> None:
    code, said, _ = start(tmp_path / "agents", "authMode: taem\n")
    assert (code, said.count("\n")) == (1, 1)
    assert "authMode: one of local, team, hybrid (did you mean team?) is expected." in said


def test_local_mode_listens_to_this_machine_only(tmp_path: Path) -> None:
    code, said, _ = start(tmp_path / "agents", SIGNET_BIND="0.0.0.0")
    assert (code, said.count("\n")) == (1, 1)
    assert "Refusing to listen on 0.0.0.0" in said
