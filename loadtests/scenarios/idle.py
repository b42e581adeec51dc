"""Cost of an idle daemon: time to ready, memory with the API's model loaded, processor time.

The whole daemon, started as by `signet daemon start`.
"""

import socket
import time

from loadtests import measure
from loadtests.report import Options, Report

from signet.daemon import control, processes
from signet.paths import Workspace

ROUNDS = 3
SETTLE_SECONDS = 3.0


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(("process", "resident MB", "shared divided MB", "CPU % of a core"))
    workspace = Workspace(options.folder / "ws")
    first, *later = [_start_seconds(workspace, keep=False) for _ in range(options.rounds or ROUNDS)]
    _start_seconds(workspace, keep=True)
    try:
        time.sleep(SETTLE_SECONDS)
        pids = {"supervisor": int(str(control.status(workspace)["pid"]))}
        pids |= {one.name: one.pid for one in processes.processes(workspace) if one.pid}
        before = {name: measure.cpu_seconds(pid) for name, pid in pids.items()}
        began = time.monotonic()
        time.sleep(options.seconds)
        seconds = time.monotonic() - began
        used = {name: measure.cpu_seconds(pid) - before[name] for name, pid in pids.items()}
        for name, pid in pids.items():
            share = used[name] / seconds * 100
            report.rows.append(
                [name, measure.resident_mb([pid]), measure.proportional_mb([pid]), share]
            )
        report.figures |= {
            "first_start_seconds": first,
            "start_seconds": measure.median(later),
            "resident_mb": measure.resident_mb(list(pids.values())),
            "proportional_mb": measure.proportional_mb(list(pids.values())),
            "idle_cpu_percent": sum(used.values()) / seconds * 100,
        }
    finally:
        control.stop(workspace)
    return report


def _start_seconds(workspace: Workspace, *, keep: bool) -> float:
    """Return the seconds from the call to ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    began = time.monotonic()
    control.start(workspace, port, tell=lambda text: None)
    seconds = time.monotonic() - began
    if not keep:
        control.stop(workspace)
    return seconds
