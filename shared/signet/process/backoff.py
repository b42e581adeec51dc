"""Wait longer before each start of a program that keeps crashing.

The supervisor starts a crashed program again at once. So the program itself waits before it does heavy work:
not at all the first time, then 1, 2, 4 ... 30 seconds, and not at all again once it has worked for a minute.
Its last start is remembered in the runtime folder, which the supervisor empties of such files when it starts.
"""

import contextlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from signet.process.program import Program

LONGEST_SECONDS = 30.0
#: A program that worked for this long before it ended was healthy.
HEALTHY_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One start of a program: when its work begins (monotonic seconds) and what came before."""

    at: float
    crashes: int = 0
    restarts: int = 0


def following(last: Start | None, now: float) -> Start:
    """Return the start that follows `last` when the program is spawned at `now`."""
    if last is None:
        return Start(at=now)
    crashes = 0 if now - last.at >= HEALTHY_SECONDS else last.crashes + 1
    delay = min(2.0 ** (crashes - 1), LONGEST_SECONDS) if crashes else 0.0
    return Start(at=now + delay, crashes=crashes, restarts=last.restarts + 1)


def begin(runtime_dir: Path, program: Program, now: float) -> Start:
    """Note that the program was spawned at `now` and return when it may work."""
    start = following(last(runtime_dir, program), now)
    path = _path(runtime_dir, program)
    fresh = path.with_suffix(".new")
    with contextlib.suppress(OSError):  # on a full disk the next wait is shorter, and that is all
        fresh.write_text(json.dumps(asdict(start)), "utf-8")
        fresh.replace(path)
    return start


def last(runtime_dir: Path, program: str) -> Start | None:
    """Return the newest start of a program under this supervisor, if there was one."""
    try:
        return Start(**json.loads(_path(runtime_dir, program).read_text("utf-8")))
    except FileNotFoundError:
        return None


def forget(runtime_dir: Path, programs: Iterable[Program] = Program) -> None:
    """Reset the counts of programs, of all unless some are named: the next start of each does not wait."""
    for program in programs:
        _path(runtime_dir, program).unlink(missing_ok=True)


def _path(runtime_dir: Path, program: str) -> Path:
    return runtime_dir / f"start-{program}.json"
