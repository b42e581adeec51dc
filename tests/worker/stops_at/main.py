"""A worker that kills itself (SIGKILL) right after a step of a job, named by STOP_AFTER, at the STOP_COUNT-th time.

At 0 it never does. It does not step back behind other programs, so that tests need not wait for them.
"""

import functools
import itertools
import os
import signal
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from signet.domain.summaries import files
from signet.domain.synthesis import file
from signet.queue.job_context import JobContext
from signet_worker import main, serve

P = ParamSpec("P")
T = TypeVar("T")

#: Where each step is: the commit of a part or of a reserved name, the same before its commit, the last write before
#: its commit, the end; notes on disk, a backup on disk, MEMORY.md replaced.
STEPS = {
    "named": (JobContext, "progress"),
    "part": (JobContext, "_fenced"),
    "last": (JobContext, "_complete_with"),
    "end": (JobContext, "commit"),
    "written": (files, "write"),
    "backup": (file, "_keep"),
    "replaced": (file, "write"),
}


def killing(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with the end of this process right after it."""

    left = itertools.count(int(os.environ.get("STOP_COUNT", "1")) - 1, -1)

    @functools.wraps(function)
    def killed(*args: P.args, **kwargs: P.kwargs) -> T:
        result = function(*args, **kwargs)
        if not next(left):
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return killed


place, name = STEPS[os.environ["STOP_AFTER"]]
setattr(place, name, killing(getattr(place, name)))
serve.NICENESS = 0
sys.exit(main.main())
