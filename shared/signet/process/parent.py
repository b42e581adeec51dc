"""End with the supervisor, and continue it when it was stopped.

`kill -9` of the supervisor leaves its children alive, holding the port and leases. The kernel ends a child with
its parent where it can (Linux); everywhere a thread looks once a second. The end is a SIGKILL: without a
supervisor a graceful one has no use, and everything written here is safe against it.

A supervisor that was stopped (SIGSTOP) replaces nothing, so its programs continue it, unless it has a terminal from
which a person has stopped it.
"""

import ctypes
import os
import signal
import sys
import threading
import time

from signet.process import kernel
from signet.process.program import SUPERVISOR_PID

EVERY_SECONDS = 1.0
#: Looks in a row at which the supervisor is found stopped before it is continued.
STOPPED_LOOKS = 5
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def watch() -> None:
    """Tie this process's life to its supervisor's, or to its present parent's when it has none."""
    named = os.environ.get(SUPERVISOR_PID, "")
    parent = int(named) if named.isdigit() else os.getppid()
    if named:
        _ask_kernel()
    elif parent == 1:
        return
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _ask_kernel() -> None:
    # Only under a supervisor: the signal follows the parent's *thread*, and only of the supervisor is it known
    # that the thread which starts children lives as long as the process.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _watch(parent: int) -> None:
    stopped = 0
    while os.getppid() == parent:
        time.sleep(EVERY_SECONDS)
        stopped = stopped + 1 if kernel.state(parent) == "T" else 0
        if stopped >= STOPPED_LOOKS and not kernel.has_terminal(parent):
            os.kill(parent, signal.SIGCONT)
    os.kill(os.getpid(), signal.SIGKILL)
