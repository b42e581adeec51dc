"""A worker that kills itself (SIGKILL) right after a step of a job, named by STOP_AFTER."""

import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from signet.domain.summaries import files
from signet.domain.synthesis import file
from signet.queue.held import Run
from signet_worker.main import main

P = ParamSpec("P")
T = TypeVar("T")

#: Where each step is: the commit of a reserved name, notes on disk, a backup on disk, MEMORY.md replaced.
STEPS = {
    "named": (Run, "progress"),
    "written": (files, "write"),
    "backup": (file, "_keep"),
    "replaced": (file, "write"),
}


def killing(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with the end of this process right after it."""

    @functools.wraps(function)
    def killed(*args: P.args, **kwargs: P.kwargs) -> T:
        function(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")

    return killed


place, name = STEPS[os.environ["STOP_AFTER"]]
setattr(place, name, killing(getattr(place, name)))
sys.exit(main())
