"""Keep what a program has in memory small: one heap, and in silence what is free goes back to the system.

The C library gives each thread a heap of its own and keeps what was freed in it: after 2,000 saves the API and the
worker had 192 and 216 MB, and with one heap 159 and 142 (measured; saves were no slower: the interpreter's lock and
SQLite's own let one thread at a time allocate anyway).
"""

import contextlib
import ctypes
import gc
import threading
import time
from collections.abc import Callable

from signet.errors import SignetError

#: The name of `mallopt` for the most heaps (malloc.h of glibc).
_M_ARENA_MAX = -8

#: A process is silent when it computes for less than this share of the time, this often in a row.
LOOK_SECONDS = 5.0
SILENT_SHARE = 0.04
SILENT_LOOKS = 9


def share_heap() -> None:
    """Let the threads of this process share one heap; to be called before there are threads. glibc only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Give free memory back to the system, where the C library can."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


class Thrift:
    """Calls `release` and gives memory back once when the process has fallen silent, and again after each work."""

    def __init__(self, release: Callable[[], None]) -> None:
        self._release = release
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="thrift", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the watch."""
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        silent, before = 0, time.process_time()
        while not self._end.wait(LOOK_SECONDS):
            now = time.process_time()
            silent = silent + 1 if now - before < SILENT_SHARE * LOOK_SECONDS else 0
            if silent == SILENT_LOOKS:
                with contextlib.suppress(SignetError):  # busy or full: another time
                    self._release()
                give_back()
            before = time.process_time()
