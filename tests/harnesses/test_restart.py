"""`signet daemon restart` restarts OpenClaw too, where agent.yaml says how (HN-56)."""

import json
import shlex
from pathlib import Path

import pytest

from signet.cli import daemon
from signet.daemon import control


@pytest.mark.parametrize(
    ("command", "skipped", "made", "told"),
    [
        ("touch {0}", False, True, ""),
        ("touch {0}", True, False, ""),
        ("touch {0}; exit 3", False, True, "restart_command failed"),
    ],
    ids=["runs", "left-out", "fails"],
)
def test_openclaw_is_restarted_with_the_daemon(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    skipped: bool,
    made: bool,
    told: str,
) -> None:
    mark = tmp_path / "mark"
    services = {"openclaw": {"restart_command": command.format(shlex.quote(str(mark)))}}
    (tmp_path / "agent.yaml").write_text(json.dumps({"services": services}))
    monkeypatch.setattr(control, "restart", lambda *given, **more: None)
    monkeypatch.setattr(daemon, "_say_started", lambda *given: iter([{}]))
    daemon.restart(path=str(tmp_path), no_openclaw=skipped)
    assert mark.exists() is made
    assert told in capsys.readouterr().err
