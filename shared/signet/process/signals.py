"""Turn SIGTERM and SIGINT into one stop that threads can wait for.

A Python signal handler runs between two steps of the main thread. Setting a `threading.Event` there can deadlock on the
event's own lock, and a signal that arrives just before the main thread sleeps is handled only after another wake-up.
So the interpreter's C handler writes a byte, and a thread that reads it sets the event.
"""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """The request to exit; it is set once and stays."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._mutex = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        """Request the exit; must not be called from a signal handler."""
        with self._mutex:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def wait(self, timeout_seconds: float | None = None) -> bool:
        """Block until the stop or the timeout; return whether it was a stop."""
        return self._event.wait(timeout_seconds)

    def then(self, callback: Callable[[], None]) -> None:
        """Call back once after the stop, from another thread, or at once if it was requested already."""
        with self._mutex:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()


def catch() -> Stop:
    """Return a stop that SIGTERM and SIGINT set; must be called in the main thread."""
    stop = Stop()
    inside, outside = os.pipe()
    os.set_blocking(outside, False)

    signal.set_wakeup_fd(outside, warn_on_full_buffer=False)

    def handle(number: int, _frame: FrameType | None) -> None:
        os.write(
            outside, bytes([number])
        )  # for when an event loop has put its own descriptor in place

    def listen() -> None:
        while not set(os.read(inside, 64)) & set(_ENDING):
            continue
        stop.set()

    threading.Thread(target=listen, name="signals", daemon=True).start()
    for number in _ENDING:
        signal.signal(number, handle)
    return stop
