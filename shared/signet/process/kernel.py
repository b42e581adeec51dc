"""Process information from the kernel: `/proc` on Linux, `ps` elsewhere. Standard library only."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class Activity(NamedTuple):
    """The activity of a process, or of one thread of it, at this instant.

    `is_working`: it runs, or the kernel works for it (a slow disk, memory that is swapped in).
    """

    is_stopped: bool = False
    is_traced: bool = False
    is_working: bool = False
    processor_seconds: float = 0.0


def activity(pid: int, thread: int = 0) -> Activity | None:
    """Return the activity of a process, or of its thread with this native ID; None if it does not exist.

    Only Linux distinguishes threads; elsewhere the answer is about the whole process.
    """
    if sys.platform != "linux":
        return _shown_activity(pid)
    try:
        tasks = _PROC / str(pid) / "task"
        threads = [tasks / str(thread)] if thread else [*tasks.iterdir()]
        stats = [*map(_stat, threads)]
        status = (_PROC / str(pid) / "status").read_text("utf-8")
    except OSError:
        return None
    return Activity(
        is_stopped=stats[0][0] == "T",
        is_traced="\nTracerPid:\t0\n" not in status,
        is_working=any(letters[0] in "RD" for letters in stats),
        processor_seconds=sum(int(one[11]) + int(one[12]) for one in stats)
        / os.sysconf("SC_CLK_TCK"),
    )


def state(pid: int) -> str:
    """Return the kernel's letter for a process (R, S, D, T, Z ...); empty after its end."""
    if sys.platform == "linux":
        try:
            return _stat(_PROC / str(pid))[0]
        except OSError:
            return ""
    return _shown(pid, "state=")[:1]


def parent(pid: int) -> int:
    """Return the parent of a process; 0 after its end, and without /proc."""
    try:
        return int(_stat(_PROC / str(pid))[1])
    except OSError:
        return 0


def has_terminal(pid: int) -> bool:
    """Return whether a process has a controlling terminal, from which a person may stop it (Ctrl-Z)."""
    if sys.platform == "linux":
        try:
            return _stat(_PROC / str(pid))[4] != "0"
        except OSError:
            return False
    return _shown(pid, "tty=") not in ("", "?", "??")


def command_line(pid: int) -> Sequence[str]:
    """Return the arguments of a process; none after its end, one empty text while it ends.

    If only `ps` is available, blanks separate arguments; the part after `--` is one argument.
    """
    if sys.platform == "linux":
        try:
            raw = (_PROC / str(pid) / "cmdline").read_bytes()
        except OSError:
            return ()
        return [os.fsdecode(part) for part in raw.rstrip(b"\0").split(b"\0")]
    before, found, rest = _shown(pid, "command=").partition(" -- ")
    return [*before.split(), rest] if found else ()


def working_folder(pid: int) -> Path | None:
    """Return a path to the working folder of a process, even if it was moved; None if unknown."""
    if sys.platform == "linux":
        place = _PROC / str(pid) / "cwd"
        return place if os.access(place, os.F_OK) else None
    command = ["lsof", "-a", "-p", str(pid), "-d", "cwd", "-Fn"]
    with suppress(OSError):
        import subprocess

        shown = subprocess.run(command, capture_output=True).stdout
        names = [line[1:] for line in shown.splitlines() if line.startswith(b"n")]
        return Path(os.fsdecode(names[0])) if names else None
    return None


def pids() -> Iterator[int]:
    """Yield the IDs of all processes."""
    if sys.platform == "linux":
        yield from (int(place.name) for place in _PROC.iterdir() if place.name.isdigit())
        return
    import subprocess

    shown = subprocess.run(["ps", "-A", "-o", "pid="], capture_output=True, text=True)
    yield from map(int, shown.stdout.split())


def age_seconds(pid: int) -> float:
    """Return the age of a process in seconds, 0 after its end."""
    if sys.platform == "linux":
        try:
            began = int(_stat(_PROC / str(pid))[19]) / os.sysconf("SC_CLK_TCK")
            return time.clock_gettime(time.CLOCK_BOOTTIME) - began
        except OSError:
            return 0.0
    return _seconds(_shown(pid, "etime=") or "0")


def lock_holder(path: Path) -> int | None:
    """Return the process that holds a `flock` on a file; None if it is free. Linux only: None elsewhere."""
    try:
        inode = path.stat().st_ino
        lines = (_PROC / "locks").read_text("ascii").splitlines()
    except OSError:
        return None
    for line in (
        lines
    ):  # "1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE START END"; "->" marks one that waits
        fields = line.split()
        if fields[1] == "FLOCK" and fields[5].rpartition(":")[2] == str(inode):
            return int(fields[4])
    return None


def _stat(folder: Path) -> Sequence[str]:
    return (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()


def _shown_activity(pid: int) -> Activity | None:
    fields = _shown(pid, "state=,time=").split()
    if len(fields) != 2:
        return None
    letters, used = fields
    return Activity(
        is_stopped=letters.startswith("T"),
        is_traced="X" in letters,
        is_working=letters[0] in "RUD",
        processor_seconds=_seconds(used),
    )


def _seconds(shown: str) -> float:
    """Return a duration as `ps` shows it, `[[days-]hours:]minutes:seconds`."""
    days, _, rest = shown.rpartition("-")
    seconds = 0.0
    for part in rest.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds + 86_400 * int(days or 0)


def _shown(pid: int, fields: str) -> str:
    import subprocess

    shown = subprocess.run(["ps", "-ww", "-o", fields, "-p", str(pid)], capture_output=True)
    return os.fsdecode(shown.stdout).strip()
