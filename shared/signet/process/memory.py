"""Keep a program's memory small: one heap, and idle programs return free memory to the system.

The C library gives each thread its own heap and keeps freed memory there: after 2,000 saves the API and the worker had
192 and 216 MB, with one heap 159 and 142 (measured; saves were no slower, because the locks of the interpreter and of
SQLite let one thread at a time allocate anyway).
"""

import contextlib
import ctypes
import gc
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from signet.errors import SignetError

#: The name of `mallopt` for the most heaps (malloc.h of glibc).
_M_ARENA_MAX = -8

#: A process is idle after this many consecutive checks below this share of processor time.
LOOK_SECONDS = 5.0
SILENT_SHARE = 0.04
SILENT_LOOKS = 9
#: Growth since the last release after which memory is released again.
FILLED_MB = 8
#: Growth since the start that only a restart releases: loaded libraries and fragmentation. A worker kept 50 MB after
#: five jobs and 55 after an import of 2,000 memories.
GROWN_MB = 24
#: A start costs about a second of processor time, so it follows at least this many seconds of work.
WORTH_SECONDS = 20.0
_STATM = Path("/proc/self/statm")


def share_heap() -> None:
    """Let all threads share one heap; call it before starting threads. glibc only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def keep_out_rich() -> None:
    """Make imports of `rich` (5 MB) fail: structlog and httpx load it for terminals, which programs do not have."""
    sys.modules["rich"] = None  # type: ignore[assignment]  # as the import system documents


def give_back() -> None:
    """Collect garbage, and return free memory to the system where the C library can."""
    gc.collect()
    trim()


def trim() -> None:
    """Return free memory to the system, in about a millisecond. glibc only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def resident_mb() -> float:
    """Return the resident memory of this process in MB, 0 where unknown (known on Linux)."""
    with contextlib.suppress(OSError):
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return 0.0


class Thrift:
    """Returns memory: free memory at each check, and what `release` frees after some idle checks.

    Then `restart` is called while much memory is still used, because loaded libraries stay until the exit.
    """

    def __init__(
        self,
        release: Callable[[], None],
        *,
        looks: int = SILENT_LOOKS,
        restart: Callable[[], None] | None = None,
    ) -> None:
        self._release = release
        self._looks = looks
        self._restart = restart
        self._least = resident_mb()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="thrift", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        silent, before, kept = 0, time.process_time(), math.inf
        while not self._end.wait(LOOK_SECONDS):
            is_busy = time.process_time() - before >= SILENT_SHARE * LOOK_SECONDS
            # One question takes little time, but the model it loads takes much memory.
            is_filled = silent > self._looks and resident_mb() > kept + FILLED_MB
            silent = 0 if is_busy or is_filled else silent + 1
            if silent == 0:
                trim()
            if silent == 1:
                give_back()
            if silent == self._looks:
                with contextlib.suppress(SignetError):  # busy or full: retried later
                    self._release()
                give_back()
                kept = resident_mb()
            if silent >= self._looks and self._restart and self._is_worth(kept):
                self._restart()
            before = time.process_time()

    def _is_worth(self, kept: float) -> bool:
        return kept > self._least + GROWN_MB and time.process_time() >= WORTH_SECONDS
