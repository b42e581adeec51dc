"""`signet daemon logs`: the files are enough."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from signet import clock
from signet.cli.main import main


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("SIGNET_LOG_FILE", "SIGNET_LOG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "ws"


def write(workspace: Path, message: str, minutes_ago: int, **data: str) -> None:
    at = clock.to_text(clock.now() - timedelta(minutes=minutes_ago))
    line = {
        "timestamp": at,
        "level": "warn",
        "category": "pipeline",
        "message": message,
        "data": data,
    }
    path = workspace / ".daemon" / "logs" / f"daemon-{at[:10]}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")


def shown(workspace: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["daemon", "logs", "-p", str(workspace), "--json", *arguments]) == 0
    return [line["message"] for line in json.loads(capsys.readouterr().out)["logs"]]


def test_lines_are_found_by_their_age_and_by_what_they_say(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(workspace, "job.failed", 90, memory_id="M-1")
    write(workspace, "job.buried", 30, kind="extract")
    write(workspace, "pull.failed", 1)
    assert shown(workspace, capsys) == ["job.failed", "job.buried", "pull.failed"]
    assert shown(workspace, capsys, "--since", "1h") == ["job.buried", "pull.failed"]
    assert shown(workspace, capsys, "--since", "2000-01-01") == shown(workspace, capsys)
    assert shown(workspace, capsys, "--grep", "failed$") == ["job.failed", "pull.failed"]
    assert shown(workspace, capsys, "--grep", "m-1|extract") == ["job.failed", "job.buried"]
    assert shown(workspace, capsys, "--grep", "nothing") == []


def test_a_stored_line_cannot_steer_the_terminal(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(workspace, "odd\x1b[2J\nline", 1)
    assert main(["daemon", "logs", "-p", str(workspace)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and out.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "value"), [("--since", "a while"), ("--grep", "(")], ids=["since", "grep"]
)
def test_a_bound_that_says_nothing_is_wrong_usage(
    workspace: Path, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    assert main(["daemon", "logs", "-p", str(workspace), option, value]) == 2
    assert option in capsys.readouterr().err
