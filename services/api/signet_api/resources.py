"""Measure the daemon's memory, processor time and disk use."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from signet.paths import Workspace
from signet.wire import status as wire
from signet_api.shapes import as_wire

#: Fields of /proc/PID/stat after the name: user and kernel ticks (proc_pid_stat(5), 14 and 15).
_USER, _KERNEL = 11, 12


def taken(running: Sequence[Mapping[str, Any]], workspace: Workspace) -> wire.Resources:
    """Return the use by processes (`processes.states`) and by parts of a workspace; walks its folders."""
    return {
        "processes": [_process(one) for one in running],
        "disk": [{"part": name, "bytes": size} for name, size in _parts(workspace)],
    }


def _process(one: Mapping[str, Any]) -> wire.ProcessCost:
    memory, cpu = _measured(one["pid"]) if one["pid"] else (None, None)
    return as_wire(wire.ProcessCost, one, memoryBytes=memory, cpuSeconds=cpu)


def _measured(pid: int) -> tuple[int | None, float | None]:
    """Return resident memory and processor time of a process; None if unavailable."""
    place = Path("/proc") / str(pid)
    try:
        pages = int((place / "statm").read_text().split()[1])
        ticks = (place / "stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError, IndexError):
        return None, None
    seconds = (int(ticks[_USER]) + int(ticks[_KERNEL])) / os.sysconf("SC_CLK_TCK")
    return pages * os.sysconf("SC_PAGE_SIZE"), seconds


def _parts(workspace: Workspace) -> Iterator[tuple[str, int]]:
    database = workspace.database
    yield "database", sum(map(_size, database.parent.glob(f"{database.name}*")))
    for name, folder in (
        ("backups", workspace.backups_dir),
        ("logs", workspace.log_dir),
        ("skills", workspace.skills_dir),
    ):
        yield name, sum(map(_size, folder.rglob("*")))


def _size(path: Path) -> int:
    try:
        return path.stat(follow_symlinks=False).st_size if not path.is_dir() else 0
    except OSError:
        return 0
