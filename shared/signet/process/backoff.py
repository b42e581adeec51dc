"""Delay the start of a program that keeps crashing.

The supervisor restarts a crashed program at once, so the program itself waits before heavy work: not at all the first
time, then 1, 2, 4 … 30 seconds, and again not at all after a minute of work. A file in the runtime folder records the
last start; a starting supervisor deletes it.
"""

import contextlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from signet import files
from signet.process.program import Program
from signet.text import json_text

LONGEST_SECONDS = 30.0
#: A program that worked for this long before it ended was healthy.
HEALTHY_SECONDS = 60.0
_KINDS = {"at": float, "crashes": int, "restarts": int, "stalls": int, "stall": str, "ended": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One start of a program: when its work begins (monotonic seconds), and its history.

    `stalls` counts the runs that the supervisor ended because they hung, `stall` is the newest reason, and `ended` the
    reason for ending the current one.
    """

    at: float
    crashes: int = 0
    restarts: int = 0
    stalls: int = 0
    stall: str = ""
    ended: str = ""


def following(last: Start | None, now: float) -> Start:
    """Return the start that follows `last` when the program is spawned at `now`."""
    if last is None:
        return Start(at=now)
    is_crash = not last.ended and now - last.at < HEALTHY_SECONDS
    crashes = last.crashes + 1 if is_crash else 0
    delay = min(2.0 ** min(crashes - 1, 10), LONGEST_SECONDS) if crashes > 0 else 0.0
    return Start(
        at=now + delay,
        crashes=crashes,
        restarts=last.restarts + 1,
        stalls=last.stalls + bool(last.ended),
        stall=last.ended or last.stall,
    )


def begin(runtime_dir: Path, program: Program, now: float) -> Start:
    """Record that the program was spawned at `now` and return when it may begin its work."""
    start = following(last(runtime_dir, program), now)
    _write(runtime_dir, program, start)
    return start


def note_stall(runtime_dir: Path, program: str, reason: str) -> None:
    """Record why the supervisor is about to end a hung program: this is not a crash."""
    _write(runtime_dir, program, replace(last(runtime_dir, program) or Start(at=0.0), ended=reason))


def last(runtime_dir: Path, program: str) -> Start | None:
    """Return the newest start of a program under this supervisor, if there was one."""
    found = json_text.an_object(files.read_small(_path(runtime_dir, program)) or b"")
    try:
        return Start(**{name: _KINDS[name](value) for name, value in (found or {}).items()})
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def forget(runtime_dir: Path, programs: Iterable[Program] = Program) -> None:
    """Reset the crash counts of programs, by default of all: their next start does not wait."""
    for program in programs:
        with contextlib.suppress(OSError):
            _path(runtime_dir, program).unlink()


def _write(runtime_dir: Path, program: str, start: Start) -> None:
    path = _path(runtime_dir, program)
    fresh = path.with_suffix(".new")
    with contextlib.suppress(OSError):  # on a full disk only the next wait is shorter
        fresh.write_text(json.dumps(asdict(start)), "utf-8")
        fresh.replace(path)


def _path(runtime_dir: Path, program: str) -> Path:
    return runtime_dir / f"start-{program}.json"
