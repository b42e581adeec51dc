"""State of the daemon's processes, from their rows and the kernel."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, processes
from signet.paths import Workspace
from signet.process import backoff, kernel, liveness
from signet.queue import pauses

#: The programs of a complete daemon.
PROGRAMS = ("api", "worker", "scheduler")
STALLED = "stalled"


def states(tx: ReadTx, workspace: Workspace, *, now: datetime) -> list[dict[str, object]]:
    """Return name, pid, state, uptime (s), restarts and stalls of each program.

    The state is `running`, `stopped`, or `stalled` after SIGSTOP.
    """
    rows = processes.every(tx)
    found: list[dict[str, object]] = []
    for program in PROGRAMS:
        mine = [row for row in rows if row.kind == program]
        living = [row for row in mine if liveness.lives(workspace.runtime_dir, row)]
        newest = max(living, key=lambda row: row.started_at, default=None)
        started = backoff.last(workspace.runtime_dir, program)
        is_still = newest is not None and kernel.state(newest.pid) == "T"
        age = (now - clock.parse(newest.started_at)).total_seconds() if newest else None
        # The clock may have been set back.
        uptime = None if age is None else max(0.0, age)
        found.append(
            {
                "name": program,
                "pid": newest.pid if newest else None,
                "state": STALLED if is_still else "running" if newest else "stopped",
                "uptime": uptime,
                "restarts": started.restarts if started else 0,
                "stalls": started.stalls if started else 0,
                "lastStall": (started and started.stall) or None,
            }
        )
    return found


def missing(tx: ReadTx, workspace: Workspace, *, now: datetime) -> list[str]:
    """Return the programs that are not running."""
    return [str(one["name"]) for one in states(tx, workspace, now=now) if one["state"] != "running"]


def takes_jobs(tx: ReadTx, workspace: Workspace, *, now: datetime) -> bool:
    """Return whether a worker accepts jobs."""
    return "worker" not in missing(tx, workspace, now=now) and not pauses.is_paused(tx)
