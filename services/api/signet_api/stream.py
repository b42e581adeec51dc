"""Server-Sent Events: streaming answers, what their followers share, and listener limits."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from signet import clock
from signet.db import ReadTx
from signet.domain.auth import caller, issued
from signet.domain.auth.tokens import Claims
from signet.errors import Kind, SignetError, Unavailable
from signet.observe import logs
from signet.observe.logfile import LogPlace
from signet.observe.logread import Entry, Tail

if TYPE_CHECKING:
    from signet_api.deps import State

log = logs.get("api")

T = TypeVar("T")

#: Default maximum of clients of one stream.
MAX_LISTENERS = 16
#: Polling intervals of committed rows, which is the maximum delay of an event, and of files.
ROWS_SECONDS, FILES_SECONDS = 0.2, 0.25
#: Seconds without an event after which a comment is sent, to detect closed connections.
KEEPALIVE_SECONDS = 15.0
#: Seconds after which a client that does not read is disconnected.
STALLED_SECONDS = 10.0
_KEEPALIVE = b": keepalive\n\n"


class TooManyListeners(SignetError, kind=Kind.LIMITED, code="too_many_listeners"):
    """Too many programs follow this stream already; end one of them."""


class Listeners:
    """Counts the clients of one stream; for the event loop's thread."""

    def __init__(self, doing: str, most: int = MAX_LISTENERS) -> None:
        """`doing` describes the programs' activity in the refusal, such as "follow the log"."""
        self._doing = doing
        self._most = most
        self._count = 0

    @contextmanager
    def joining(self) -> Iterator[None]:
        """Add a client, and remove it if the block fails; raises TooManyListeners."""
        if self._count >= self._most:
            raise TooManyListeners(f"Too many programs {self._doing} already; end one of them")
        self._count += 1
        try:
            yield
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        self._count -= 1


class OnCommit:
    """Reads the database after each new commit, for one client."""

    def __init__(self, state: "State") -> None:
        self._state = state
        self._seen: int | None = None

    async def read(self, find: Callable[..., T], *args: object, **fields: object) -> T | None:
        """Return what `find` reads, None without a new commit or while the database is busy; the next poll retries."""
        # Read before the rows, so that a later commit triggers another poll.
        version = self._state.commits.version()
        if version == self._seen:
            return None
        try:
            found = await self._state.db.aread(find, *args, **fields)
        except Unavailable as error:
            log.warning("events.poll_failed", code=error.code)
            return None
        self._seen = version
        return found

    def again(self) -> None:
        """Read at the next poll, because rows are left."""
        self._seen = None


class LogTail:
    """New lines of the log files for one client, read in threads; the files buffer for slow clients."""

    def __init__(self, place: LogPlace) -> None:
        self._tail: Tail | None = Tail(place)
        self._reading = threading.Lock()

    def take(self) -> list[Entry]:
        with self._reading:
            return self._tail.take() if self._tail else []

    def close(self) -> None:
        """Close the files once no thread reads them."""
        with self._reading:
            if self._tail:
                self._tail.close()
            self._tail = None


def message(data: object, *, id: object = None, event: str | None = None) -> bytes:
    """Return one encoded event. Without `event` it reaches `EventSource.onmessage`."""
    head = ("" if id is None else f"id: {id}\n") + ("" if event is None else f"event: {event}\n")
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{head}data: {text}\n\n".encode("utf-8", "replace")


class EventStream(StreamingResponse):
    """Sends `first`, then what `look` returns at each poll, until it returns None; calls `left` at the end.

    `look` returns empty bytes if there is nothing new. The stream also ends when the daemon stops, or the caller's
    token expires or is revoked.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        state: "State",
        first: bytes,
        look: Callable[[], Awaitable[bytes | None]],
        left: Callable[[], object],
        *,
        every_seconds: float = ROWS_SECONDS,
    ) -> None:
        self._state, self._look, self._left = state, look, left
        self._every_seconds = every_seconds
        self._claims, self._revoked = caller.current().claims, OnCommit(state)
        super().__init__(self._parts(first))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the stream ends, or the client disconnects or stops reading."""

        async def sent(message: Message) -> None:
            await asyncio.wait_for(send(message), STALLED_SECONDS)

        try:
            with suppress(TimeoutError):
                await super().__call__(scope, receive, sent)
        finally:
            self._left()

    async def _parts(self, first: bytes) -> AsyncIterator[bytes]:
        yield first
        coming = asyncio.ensure_future(self._more())
        try:
            while True:
                # Not `wait_for`, which would cancel the read.
                await asyncio.wait({coming}, timeout=KEEPALIVE_SECONDS)
                if not coming.done():
                    yield _KEEPALIVE
                    continue
                some = coming.result()
                if some is None:
                    return
                yield some
                coming = asyncio.ensure_future(self._more())
        finally:
            coming.cancel()

    async def _more(self) -> bytes | None:
        """Wait until `look` returns events; None at the end of the stream."""
        while not self._state.is_stopping and await self._is_valid(self._claims):
            found = await self._look()
            if found is None or found:
                return found
            await asyncio.sleep(self._every_seconds)
        return None

    async def _is_valid(self, claims: Claims | None) -> bool:
        if claims is None:
            return True
        if claims.exp <= clock.now().timestamp():
            return False
        is_read = claims.jti is not None
        return not (is_read and await self._revoked.read(_is_revoked, claims.jti))


def _is_revoked(tx: ReadTx, jti: str) -> bool:
    return bool(issued.is_revoked(tx, jti))
