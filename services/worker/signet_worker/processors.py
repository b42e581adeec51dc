"""Choose the worker's processors: all but the first, and the whole set for users' programs.

On Linux each thread has its own processor set, inherited from the thread that started it, and so does a program.
Model programs keep the worker's set, because they work in the background.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def leave_first() -> None:
    """Leave the first processor to others, for threads started from now on; only on Linux."""
    if not hasattr(os, "sched_setaffinity"):
        return
    with suppress(OSError):
        allowed = os.sched_getaffinity(0)
        # The first one, because the power-saving ones of hybrid processors (Intel's) have the last numbers.
        os.sched_setaffinity(0, allowed - {min(allowed)} or allowed)


@contextmanager
def whole() -> Iterator[None]:
    """Let programs started by this thread inside the block use the original processor set."""
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
