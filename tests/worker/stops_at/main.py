"""A worker that kills itself (SIGKILL) right after a step of a summary, named by STOP_AFTER."""

import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from signet.domain.summaries import files
from signet.queue.held import Run
from signet_worker.main import main

P = ParamSpec("P")
T = TypeVar("T")


def killing(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with the end of this process right after it."""

    @functools.wraps(function)
    def killed(*args: P.args, **kwargs: P.kwargs) -> T:
        function(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")

    return killed


if os.environ["STOP_AFTER"] == "files.write":
    files.write = killing(files.write)
else:
    Run.progress = killing(Run.progress)  # type: ignore[method-assign]  # the commit of the reserved name
sys.exit(main())
