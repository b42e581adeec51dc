"""A report helps to find a fault and tells nothing that is remembered, and no secret."""

import json
import stat
import zipfile
from pathlib import Path

import pytest

from signet import clock
from signet.care import report
from signet.errors import Conflict
from signet.observe import logs
from signet.observe.logfile import LogPlace, RotatedLog
from signet.paths import Workspace
from store.backups import TEXTS, a_workspace

KEY = "sk-abcdefghijklmnopqrstuvwxyz123456"


#: What a careless line could tell: a key, a long text, a memory, a part of one, one that an error quotes.
DETAILS = (
    f"Bearer {KEY}",
    f"Could not read {TEXTS[1] * 20}",
    f"Could not read {TEXTS[1]} twice",
    TEXTS[0][2:-2],
    f"unexpected token near '{TEXTS[2]}' in line 3",
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    made = a_workspace(tmp_path / "w")
    (made.root / "agent.yaml").write_text(
        f"embedding: {{provider: openai, api_key: {KEY}}}\nauth: {{token: hunter2hunter2}}\n"
    )
    file = RotatedLog(LogPlace(directory=made.log_dir))
    for number in range(600):
        line = logs.entry(
            "worker",
            "info" if number % 2 else "error",
            {
                "event": f"tried.{number}",
                "content": TEXTS[0],
                "authorization": "hunter2hunter2",
                "detail": DETAILS[number % len(DETAILS)],
                "items": [{"text": TEXTS[2]}],
            },
        )
        file.write(json.dumps(line).encode() + b"\n", str(line["timestamp"]))
    file.close()
    (made.log_dir / "startup.log").write_text(f"failed with token=1 Bearer {KEY}\n")
    return made


def test_it_holds_what_helps_and_nothing_that_is_remembered(
    workspace: Workspace, tmp_path: Path
) -> None:
    target = tmp_path / "report.zip"
    parts = report.write(workspace, target, now=clock.now())
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with zipfile.ZipFile(target) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(held) == {part.name for part in parts}
    assert json.loads(held["versions.json"])["signet"]
    assert {one["check"] for one in json.loads(held["doctor.json"])} >= {"database", "disk"}
    assert json.loads(held["database.json"])["counts"]["memories"] == len(TEXTS)
    lines = [json.loads(line) for line in held["log.ndjson"].splitlines()]
    assert len(lines) == report.LOG_LINES
    assert lines[-1]["message"] == "tried.599"
    everything = "\n".join(held.values())
    for secret in (KEY, "hunter2hunter2", "sealed", "0123456789abcdef", *TEXTS, TEXTS[0][2:-2]):
        assert secret not in everything


def test_settings_that_cannot_be_read_give_nothing_away(
    workspace: Workspace, tmp_path: Path
) -> None:
    (workspace.root / "agent.yaml").write_text(f"embedding: [\n  api_key: hunter2hunter2 {KEY}\n")
    held = b"".join(part.content for part in report.collect(workspace, now=clock.now())).decode()
    assert "hunter2hunter2" not in held
    assert KEY not in held


def test_a_file_that_is_there_is_not_overwritten(workspace: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "mine.zip"
    target.write_text("mine")
    with pytest.raises(Conflict):
        report.write(workspace, target, now=clock.now())
    assert target.read_text() == "mine"


@pytest.mark.sqlite_file
def test_a_damaged_database_is_reported_as_such(workspace: Workspace) -> None:
    workspace.database.write_bytes(b"no database at all, whoever wrote it")
    parts = {part.name: part.content for part in report.collect(workspace, now=clock.now())}
    assert "unreadable" in json.loads(parts["database.json"])
    assert b"fail" in parts["doctor.json"]


def test_without_a_workspace_it_is_short_and_leaves_none(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "none")
    parts = {part.name: part.content for part in report.collect(workspace, now=clock.now())}
    assert json.loads(parts["database.json"]) == {"exists": False}
    assert not workspace.root.exists()
