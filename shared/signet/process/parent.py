"""Exit with the supervisor, and continue it if it is stopped.

`kill -9` of the supervisor leaves its children alive, holding the port and leases. On Linux the kernel kills a child
with its parent; elsewhere a thread checks once a second. SIGKILL is enough: without a supervisor a graceful
exit has no use, and every write survives it. Where the kernel does it, the thread only looks for a stopped supervisor.

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
#: The same number of seconds in fewer checks, where the kernel reports the supervisor's end.
SLOW_SECONDS, SLOW_LOOKS = 2.5, 2
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def watch() -> None:
    """Exit when the supervisor does, or the current parent if there is no supervisor."""
    named = os.environ.get(SUPERVISOR_PID, "")
    parent = int(named) if named.isdigit() else os.getppid()
    how = EVERY_SECONDS, STOPPED_LOOKS
    if named:
        how = (SLOW_SECONDS, SLOW_LOOKS) if _ask_kernel() else how
    elif parent == 1:
        return
    threading.Thread(target=_watch, args=(parent, *how), name="parent", daemon=True).start()


def _ask_kernel() -> bool:
    """Have this process killed when the supervisor ends; return whether the kernel can."""
    # Only under a supervisor: the signal follows the parent's *thread*, and only the supervisor starts children from a
    # thread that lives as long as the process.
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0)


def _watch(parent: int, every_seconds: float, looks: int) -> None:
    stopped = 0
    while os.getppid() == parent:
        time.sleep(every_seconds)
        stopped = stopped + 1 if kernel.state(parent) == "T" else 0
        if stopped >= looks and not kernel.has_terminal(parent):
            os.kill(parent, signal.SIGCONT)
    os.kill(os.getpid(), signal.SIGKILL)
