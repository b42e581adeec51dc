"""A function that waits for the writer, and how its caller gets the result.

A blocking caller waits for an event, an asyncio caller has a future of its loop, `later` passes a callback.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from signet.db.transaction import WriteTx
from signet.errors import StorageBusy
from signet.observe import logs

log = logs.get("system")

#: Called with the result and the error (None without one) by the thread that did the work.
Done = Callable[[Any, BaseException | None], None]


class WriteOperation:
    """A queued write and its outcome."""

    __slots__ = tuple(
        "_answered _lock _state done durable error function future loop result since skipped".split()
    )

    def __init__(
        self,
        function: Callable[[WriteTx], Any],
        durable: bool,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        done: Done | None = None,
    ) -> None:
        self.function = function
        self.durable = durable
        self.loop = loop
        self.done = done
        self.future: asyncio.Future[Any] | None = loop.create_future() if loop else None
        self.result: Any = None
        self.error: BaseException | None = None
        self.skipped: frozenset[str] = frozenset()
        self.since = time.monotonic()
        self._state = "waiting"
        self._lock = threading.Lock()
        #: For a blocking caller; the others are called back.
        self._answered = None if loop or done else threading.Event()

    def start(self) -> bool:
        """Move to running; False if the caller has given up."""
        with self._lock:
            if self._state == "waiting":
                self._state = "running"
            return self._state == "running"

    def abandon(self) -> bool:
        """Give up waiting; False if it runs already, and then its end must be awaited."""
        with self._lock:
            if self._state == "waiting":
                self._state = "abandoned"
            return self._state == "abandoned"

    def expire(self) -> None:
        """Tell the asyncio caller that no turn came, unless it runs already."""
        if self.abandon() and self.future is not None and not self.future.done():
            self.future.set_exception(StorageBusy())

    def resolve(self) -> None:
        """Pass the result to the caller; for asyncio callers this runs in their loop."""
        if self.done is not None:
            try:
                self.done(self.result, self.error)
            except Exception:  # its bug must not withhold the results of the others in its group
                log.exception("write.done_failed")
        elif self.future is not None:
            if self.future.done():
                return
            if self.error is not None:
                self.future.set_exception(self.error)
            else:
                self.future.set_result(self.result)
        elif self._answered is not None:
            self._answered.set()

    def wait(self, seconds: float | None) -> bool:
        """Wait up to `seconds` for the answer and return whether it arrived. Only for a blocking caller."""
        assert self._answered is not None
        return self._answered.wait(seconds)

    def outcome(self) -> Any:
        """Return the result or raise the error; called once, by the blocking caller."""
        error, self.error = self.error, None
        if error is None:
            return self.result
        try:
            raise error
        finally:
            del error  # else this frame and the error would keep each other alive
