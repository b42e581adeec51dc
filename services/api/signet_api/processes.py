"""Which processes of the daemon live, from their rows and the kernel's word, never from memory of this process."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from signet import clock
from signet.db import ReadTx, processes
from signet.process import backoff, liveness

#: The programs that a whole daemon has.
PROGRAMS = ("api", "worker", "scheduler")


def states(tx: ReadTx, runtime_dir: Path, *, now: datetime) -> list[dict[str, object]]:
    """Return name, pid, state, uptime (s) and restarts of each program; one that is not there is `stopped`."""
    rows = processes.every(tx)
    found: list[dict[str, object]] = []
    for program in PROGRAMS:
        mine = [row for row in rows if row.kind == program]
        living = [row for row in mine if liveness.is_alive(runtime_dir, row.owner)]
        newest = max(living, key=lambda row: row.started_at, default=None)
        started = backoff.last(runtime_dir, program)
        uptime = (now - clock.parse(newest.started_at)).total_seconds() if newest else None
        found.append(
            {
                "name": program,
                "pid": newest.pid if newest else None,
                "state": "running" if newest else "stopped",
                "uptime": uptime,
                "restarts": started.restarts if started else 0,
            }
        )
    return found


def missing(states: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the programs that do not run."""
    return [str(state["name"]) for state in states if state["state"] != "running"]
