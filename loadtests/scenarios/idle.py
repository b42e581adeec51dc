"""Cost of an idle daemon: time to ready, memory with the API's model loaded, processor time.

The whole daemon, started as by `signet daemon start`, with compiled modules, as pip leaves them.
"""

import os
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
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    workspace = Workspace(options.folder / "ws")
    first, *later = [_start(workspace, keep=False) for _ in range(options.rounds or ROUNDS)]
    _start(workspace, keep=True)
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
            "first_start_seconds": first[0],
            "start_seconds": measure.median(seconds for seconds, _ in later),
            "start_cpu_seconds": measure.median(used for _, used in later),
            "resident_mb": measure.resident_mb(list(pids.values())),
            "proportional_mb": measure.proportional_mb(list(pids.values())),
            "idle_cpu_percent": sum(used.values()) / seconds * 100,
        }
    finally:
        control.stop(workspace)
    return report


def _start(workspace: Workspace, *, keep: bool) -> tuple[float, float]:
    """Return the seconds from the call to ready, and the processor time of all processes until then."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    began, own = time.monotonic(), time.process_time()
    control.start(workspace, port, tell=lambda text: None)
    seconds, used = time.monotonic() - began, time.process_time() - own
    supervisor = int(str(control.status(workspace)["pid"]))
    pids = [one.pid for one in processes.processes(workspace) if one.pid]
    used += measure.cpu_seconds(supervisor, with_ended=True) + sum(map(measure.cpu_seconds, pids))
    if not keep:
        control.stop(workspace)
    return seconds, used
