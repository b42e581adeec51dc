"""The scheduler process: one tick per second.

Each tick starts due beats, watches new processes and checks the write-ahead log. It runs no jobs; leases and
checkpoints are handled here because they must work when the queue does not.
"""

import contextlib
import os
import sys

from signet.process.boot import boot
from signet.process.program import Program

NICENESS = 5


def main() -> int:
    """Run until stopped."""
    booted = boot(Program.SCHEDULER)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    from signet_scheduler.serve import serve

    return serve(booted)


if __name__ == "__main__":
    sys.exit(main())
