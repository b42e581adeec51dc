"""Exceptions that come from outside between two steps of Python, as a time limit's do (signet/queue/deadline.py)."""

import contextlib
import itertools
import sys
from collections.abc import Callable
from types import FrameType, ModuleType


class Interrupt(BaseException):
    """What a time limit raises in a thread."""


def interrupted(work: Callable[[], object], point: int, *, within: tuple[ModuleType, ...]) -> bool:
    """Do `work` in this thread, interrupted after so many steps in these modules; False when it takes fewer.

    Python looks for such exceptions where a function begins and where one of C has returned (CPython 3.11).
    """
    files = {module.__file__ for module in within}
    steps = itertools.count(1)
    is_interrupted = False

    def step(frame: FrameType, event: str, _: object) -> None:
        nonlocal is_interrupted
        is_theirs = frame.f_code.co_filename in files and event in ("call", "c_return")
        if is_theirs and next(steps) == point:
            is_interrupted = True
            raise Interrupt

    with contextlib.suppress(Interrupt):
        sys.setprofile(step)
        try:
            work()
        finally:
            sys.setprofile(None)
    return is_interrupted
