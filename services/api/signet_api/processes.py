"""State of the daemon's processes, from their rows and the kernel."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from signet import engine
from signet.db import ReadTx, processes
from signet.paths import Workspace
from signet.process import backoff, kernel, liveness
from signet.queue import pauses
from signet.wire import status as wire
from signet_api.shapes import as_wire

#: The programs of a complete daemon.
PROGRAMS = ("api", "worker", "scheduler")
STALLED = "stalled"


def states(tx: ReadTx, workspace: Workspace) -> list[dict[str, object]]:
    """Return name, pid, state, uptime (s), restarts and stalls of each program.

    The state is `running`, `stopped`, or `stalled` after SIGSTOP.
    """
    rows = processes.every(tx)
    # Of several hosts, only this one's processes have lock files here; a PID could be that of another host's process.
    lives = liveness.lives if engine.url_of(workspace.database) is None else liveness.holds
    found: list[dict[str, object]] = []
    for program in PROGRAMS:
        mine = [row for row in rows if row.kind == program]
        living = [row for row in mine if lives(workspace.runtime_dir, row)]
        newest = max(living, key=lambda row: row.started_at, default=None)
        started = backoff.last(workspace.runtime_dir, program)
        is_still = newest is not None and kernel.state(newest.pid) == "T"
        found.append(
            {
                "name": program,
                "pid": newest.pid if newest else None,
                "state": STALLED if is_still else "running" if newest else "stopped",
                "uptime": round(kernel.age_seconds(newest.pid), 3) if newest else None,
                "restarts": started.restarts if started else 0,
                "stalls": started.stalls if started else 0,
                "lastStall": (started and started.stall) or None,
            }
        )
    return found


def missing(
    tx: ReadTx, workspace: Workspace, known: Sequence[Mapping[str, object]] | None = None
) -> list[str]:
    """Return the programs that run neither here (`known` has their states) nor, with a server, on another host."""
    here = states(tx, workspace) if known is None else known
    found = [str(one["name"]) for one in here if one["state"] != "running"]
    if not found or engine.url_of(workspace.database) is None:
        return found
    # Rows of ended processes are removed by the other hosts.
    elsewhere = {
        row.kind
        for row in processes.every(tx)
        if liveness.is_alive(workspace.runtime_dir, row.owner) is None
    }
    return [name for name in found if name not in elsewhere]


def takes_jobs(tx: ReadTx, workspace: Workspace) -> bool:
    return "worker" not in missing(tx, workspace) and not pauses.is_paused(tx)


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
