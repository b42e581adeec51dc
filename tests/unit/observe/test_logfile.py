"""Writing, rotating, sweeping and reading log files."""

import json
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path

import pytest

from signet.observe import logfile
from signet.observe.logfile import LogPlace, RotatedLog, sweep
from signet.observe.logread import LogFilter, follow, newest

NOON = "2026-03-04T12:00:00.000Z"
WRITER = """
import sys
from pathlib import Path
from signet.observe.logfile import LogPlace, RotatedLog
log = RotatedLog(LogPlace(directory=Path(sys.argv[1])), rotate_bytes=20_000)
for n in range(2_000):
    log.write(f"{sys.argv[2]} {n:05d} {'x' * (n % 90)}\\n".encode(), "2026-03-04T12:00:00.000Z")
"""


def line(n: int, level: str = "info", category: str = "memory") -> bytes:
    """Return one log line, a second apart from its neighbours."""
    entry = {
        "timestamp": f"2026-03-04T12:{n // 60:02d}:{n % 60:02d}.000Z",
        "level": level,
        "category": category,
        "message": f"line {n}",
    }
    return json.dumps(entry).encode() + b"\n"


def test_two_processes_that_rotate_lose_no_line_and_mix_none(tmp_path: Path) -> None:
    env = {"PYTHONPATH": str(Path(logfile.__file__).parents[2])}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name], env=env)
        for name in ("ann", "bob")
    ]
    assert [writer.wait(30) for writer in writers] == [0, 0]
    files = LogPlace(directory=tmp_path).files()
    assert len(files) > 5
    lines = [text for path in files for text in path.read_text().splitlines()]
    for name in ("ann", "bob"):
        mine = [text for text in lines if text.startswith(name)]
        assert mine == [f"{name} {n:05d} {'x' * (n % 90)}" for n in range(2_000)]
    assert len(lines) == 4_000


def test_a_file_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    log, place = RotatedLog(LogPlace(directory=tmp_path)), LogPlace(directory=tmp_path)
    log.write(b"one\n", NOON)
    place.path(NOON[:10]).unlink()
    log.write(b"two\n", NOON)
    log.close()
    assert place.path(NOON[:10]).read_bytes() == b"two\n"


def test_a_new_day_is_a_new_file(tmp_path: Path) -> None:
    log = RotatedLog(LogPlace(directory=tmp_path))
    log.write(b"one\n", NOON)
    log.write(b"two\n", "2026-03-05T00:00:00.000Z")
    log.close()
    names = [path.name for path in LogPlace(directory=tmp_path).files()]
    assert names == ["daemon-2026-03-04.log", "daemon-2026-03-05.log"]


def test_a_folder_that_cannot_be_written_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    log = RotatedLog(LogPlace(directory=tmp_path / "file" / "logs"))
    log.write(b"one\n", NOON)
    log.write(b"two\n", NOON)
    assert capsys.readouterr().err.count("cannot write logs") == 1


def test_old_files_and_files_beyond_the_budget_are_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logfile, "KEEP_BYTES", 25)
    for name in (
        "daemon-2026-02-01.log",
        "daemon-2026-03-01.log",
        "daemon-2026-03-03.log",
        "daemon-2026-03-04-2026030410.log",
        "daemon-2026-03-04.log",
        "notes.log",
    ):
        (tmp_path / name).write_bytes(b"x" * 10)
    sweep(LogPlace(directory=tmp_path), today=date(2026, 3, 4))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "daemon-2026-03-04-2026030410.log",
        "daemon-2026-03-04.log",
        "notes.log",
    ]


def test_a_file_of_ones_own_choice_never_sweeps_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logfile, "KEEP_BYTES", 5)
    (tmp_path / "sys.log").write_bytes(b"x" * 4)
    (tmp_path / "system.log").write_bytes(b"x" * 100)
    (tmp_path / "sys-20260304.log").write_bytes(b"x" * 4)
    sweep(LogPlace(directory=tmp_path, file="sys.log"), today=date(2026, 3, 4))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sys.log", "system.log"]


def test_an_overgrown_startup_log_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logfile, "STARTUP_BYTES", 5)
    (tmp_path / "startup.log").write_bytes(b"123456")
    sweep(LogPlace(directory=tmp_path), today=date(2026, 3, 4))
    assert (tmp_path / "startup.log").read_bytes() == b""


def test_the_newest_lines_are_read_across_files_in_time_order(tmp_path: Path) -> None:
    (tmp_path / "daemon-2026-03-04-20260304120001.log").write_bytes(line(1) + line(2))
    (tmp_path / "daemon-2026-03-04.log").write_bytes(line(4) + b'{"torn\n' + line(3) + line(5))
    found = newest(LogPlace(directory=tmp_path), 4, LogFilter())
    assert [entry["message"] for entry in found] == ["line 2", "line 3", "line 4", "line 5"]


def test_lines_of_one_instant_keep_their_order(tmp_path: Path) -> None:
    same = [json.dumps({"timestamp": NOON, "message": n}) for n in range(5)]
    (tmp_path / "daemon-2026-03-04.log").write_text("\n".join(same) + "\n")
    found = newest(LogPlace(directory=tmp_path), 3, LogFilter())
    assert [entry["message"] for entry in found] == [2, 3, 4]


def test_lines_are_chosen_by_level_category_and_time(tmp_path: Path) -> None:
    place = LogPlace(directory=tmp_path)
    (tmp_path / "daemon-2026-03-04.log").write_bytes(
        line(1, "error") + line(2, "debug") + line(3, "warn", "git") + line(4, "error")
    )

    def messages(wanted: LogFilter) -> list[object]:
        return [entry["message"] for entry in newest(place, 9, wanted)]

    assert messages(LogFilter(level="warn")) == ["line 1", "line 3", "line 4"]
    assert messages(LogFilter(level="warn", category="memory")) == ["line 1", "line 4"]
    assert messages(LogFilter(since="2026-03-04T12:00:03.000Z")) == ["line 3", "line 4"]


def test_a_line_longer_than_a_block_is_read_whole(tmp_path: Path) -> None:
    long = json.dumps({"timestamp": "2", "message": "y" * 200_000}).encode() + b"\n"
    (tmp_path / "daemon-2026-03-04.log").write_bytes(line(1) + long)
    (first, second) = newest(LogPlace(directory=tmp_path), 5, LogFilter())
    assert {len(str(first["message"])), len(str(second["message"]))} == {6, 200_000}


def test_following_continues_through_a_rotation(tmp_path: Path) -> None:
    place = LogPlace(directory=tmp_path, file="one.log")
    log = RotatedLog(place, rotate_bytes=200)
    log.write(line(0), NOON)
    seen = follow(place, LogFilter(), threading.Event())
    found = []
    for n in range(1, 5):
        log.write(line(n), NOON)
        found.append(next(seen)["message"])
    log.close()
    assert found == ["line 1", "line 2", "line 3", "line 4"]
    assert len(place.files()) > 1
