"""Which processors the worker uses: all but the first, and the whole set for programs of people.

On Linux each thread has processors of its own: those of the thread which started it, and a program has those of the
thread which started it. Programs of models keep the worker's set, because they work in the background.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def leave_first() -> None:
    """Leave the first processor to others, with the threads that start from now on; only on Linux."""
    if not hasattr(os, "sched_setaffinity"):
        return
    with suppress(OSError):
        allowed = os.sched_getaffinity(0)
        # The first: of mixed processors (Intel's) those that save power come last.
        os.sched_setaffinity(0, allowed - {min(allowed)} or allowed)


@contextmanager
def whole() -> Iterator[None]:
    """Let programs that this thread starts in the block use what the one who started the worker may use."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    mine = os.sched_getaffinity(0)
    with suppress(OSError):
        os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, mine)
