"""What a log line says."""

import json
import subprocess
import sys
from pathlib import Path

from signet import clock
from signet.observe import logs
from signet.observe.logfile import LogPlace, place

HELLO = """
import logging, sys
from pathlib import Path
from signet.observe import logs
from signet.observe.logfile import LogPlace
log = logs.get("pipeline")
logs.configure("worker", LogPlace(directory=Path(sys.argv[1])), level=sys.argv[2], echo=True)
log.debug("job.looked", kind="extract")
log.info("job.completed", kind="extract", took_ms=12)
logging.getLogger("uvicorn.error").info("chatter")
logging.getLogger("uvicorn.error").warning("odd %s", "thing")
try:
    1 / 0
except ZeroDivisionError:
    log.exception("job.broke", job_id="7")
"""


def run(folder: Path, level: str) -> list[dict[str, object]]:
    """Log from a process of its own and return its lines."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HELLO, str(folder), level],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": str(Path(logs.__file__).parents[2])},
    )
    (path,) = LogPlace(directory=folder).files()
    assert done.stdout == path.read_bytes(), "the echo is the file"
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_line_has_the_documented_fields(tmp_path: Path) -> None:
    completed, library, broke = run(tmp_path, "info")
    assert clock.parse(str(completed.pop("timestamp")))
    assert completed == {
        "level": "info",
        "category": "pipeline",
        "message": "job.completed",
        "data": {"process": "worker", "kind": "extract"},
        "duration": 12,
    }
    assert (library["level"], library["category"], library["message"]) == (
        "warn",
        "api",
        "odd thing",
    )
    assert broke["level"] == "error"
    error = broke["error"]
    assert isinstance(error, dict)
    assert (error["name"], error["message"]) == ("ZeroDivisionError", "division by zero")
    assert "1 / 0" in error["stack"] or "line " in error["stack"]


def test_a_process_goes_on_without_files_when_its_folder_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", HELLO, str(tmp_path / "file" / "logs"), "info"],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": str(Path(logs.__file__).parents[2])},
    )
    assert done.stderr.count(b"cannot write logs") == 1
    assert len(done.stdout.splitlines()) == 3


def test_debug_lines_and_the_chatter_of_libraries_appear_only_at_level_debug(
    tmp_path: Path,
) -> None:
    messages = [line["message"] for line in run(tmp_path, "debug")]
    assert messages == ["job.looked", "job.completed", "chatter", "odd thing", "job.broke"]


def test_a_file_is_named_for_its_day_and_private(tmp_path: Path) -> None:
    (line, *_) = run(tmp_path, "info")
    (path,) = LogPlace(directory=tmp_path).files()
    assert path.name == f"daemon-{str(line['timestamp'])[:10]}.log"
    assert path.stat().st_mode & 0o777 == 0o600


def test_credentials_are_masked_and_counts_are_not() -> None:
    made = logs.entry(
        "api",
        "info",
        {
            "event": "call.made",
            "token": "abc",
            "headers": {"Authorization": "Bearer abc", "x": "Bearer abcdefgh12345"},
            "input_tokens": 5,
            "note": "key sk-abcdefgh1234 was used",
        },
    )
    assert made["data"] == {
        "process": "api",
        "token": "[masked]",
        "headers": {"Authorization": "[masked]", "x": "Bearer [masked]"},
        "input_tokens": 5,
        "note": "key sk-[masked] was used",
    }


def test_an_error_given_as_a_value_is_told_without_a_stack() -> None:
    made = logs.entry("api", "warn", {"event": "provider.failed", "error": OSError("no route")})
    assert made["error"] == {"name": "OSError", "message": "no route"}


def test_level_names_are_read_loosely() -> None:
    assert [logs.level_of(text) for text in (None, "WARNING", "warn", "silly", "critical")] == [
        "info",
        "warn",
        "warn",
        "info",
        "error",
    ]


def test_the_environment_chooses_the_place(tmp_path: Path) -> None:
    default = tmp_path / "logs"
    folder, file = str(tmp_path / "a"), str(tmp_path / "b" / "one.txt")
    assert place(default, {}).path("2026-01-02") == default / "daemon-2026-01-02.log"
    assert place(default, {"SIGNET_LOG_DIR": folder}).directory == tmp_path / "a"
    both = place(default, {"SIGNET_LOG_DIR": folder, "SIGNET_LOG_FILE": file})
    assert both.path("2026-01-02") == tmp_path / "b" / "one.txt"
