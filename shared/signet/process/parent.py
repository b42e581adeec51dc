"""Exit with the supervisor, and continue it if it is stopped.

`kill -9` of the supervisor leaves its children alive, holding the port and leases. On Linux the kernel kills a child
with its parent; on every system a thread checks once a second. SIGKILL is enough: without a supervisor a graceful
exit has no use, and every write survives it.

A stopped supervisor (SIGSTOP) replaces no program, so its programs continue it, unless it has a terminal, where a
person may have stopped it.
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
#: Consecutive checks that find the supervisor stopped before it is continued.
STOPPED_LOOKS = 5
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def watch() -> None:
    """Exit when the supervisor does, or the current parent if there is no supervisor."""
    named = os.environ.get(SUPERVISOR_PID, "")
    parent = int(named) if named.isdigit() else os.getppid()
    if named:
        _ask_kernel()
    elif parent == 1:
        return
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _ask_kernel() -> None:
    # Only under a supervisor: the signal follows the parent's *thread*, and only the supervisor starts children from a
    # thread that lives as long as the process.
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
