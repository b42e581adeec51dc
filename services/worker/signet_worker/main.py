"""The worker process: run jobs until stopped.

It runs at low priority and, on Linux, leaves one processor to others, so that answers to people take precedence. The
writer thread is exempt, because answers wait for its lock. On Linux each thread has its own priority, inherited from
the thread that started it.
"""

import os
import sys

from signet.process.boot import boot
from signet.process.program import Program

#: Maximum computing time of a thread before another one runs. The writer yields at each statement: with Python's 5 ms
#: a transaction of 15 ms held the lock for 200 to 350 ms while jobs computed.
SWITCH_SECONDS = 0.0005


def main() -> int:
    """Run until stopped; return 0, or 1 if a thread was lost and the process must restart."""
    booted = boot(Program.WORKER)
    sys.setswitchinterval(SWITCH_SECONDS)
    from signet_worker.serve import serve

    return serve(booted)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Threads in the middle of a released job must not keep the process alive.
    os._exit(code)
