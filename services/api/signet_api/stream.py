"""Server-Sent Events: streaming answers and listener limits."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from signet.errors import Kind, SignetError

#: Default maximum of clients of one stream.
MAX_LISTENERS = 16
#: Seconds without an event after which a comment is sent, to detect closed connections.
KEEPALIVE_SECONDS = 15.0
#: Seconds after which a client that does not read is disconnected.
STALLED_SECONDS = 10.0
_KEEPALIVE = b": keepalive\n\n"


class TooManyListeners(SignetError):
    """Too many programs follow this stream already; end one of them."""

    kind = Kind.LIMITED
    code = "too_many_listeners"


class Listeners:
    """Counts the clients of one stream; for the event loop's thread."""

    def __init__(self, doing: str, most: int = MAX_LISTENERS) -> None:
        """`doing` describes the programs' activity in the refusal, such as "follow the log"."""
        self._doing = doing
        self._most = most
        self._count = 0

    @property
    def is_full(self) -> bool:
        return self._count >= self._most

    def join(self) -> None:
        """Add a client; raises TooManyListeners."""
        if self.is_full:
            raise TooManyListeners(f"Too many programs {self._doing} already; end one of them")
        self._count += 1

    @contextmanager
    def joining(self) -> Iterator[None]:
        """Add a client, and remove it if the block fails; raises TooManyListeners."""
        self.join()
        try:
            yield
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        self._count -= 1


def message(data: object, *, id: object = None, event: str | None = None) -> bytes:
    """Return one encoded event. Without `event` it reaches `EventSource.onmessage`."""
    head = ("" if id is None else f"id: {id}\n") + ("" if event is None else f"event: {event}\n")
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{head}data: {text}\n\n".encode("utf-8", "replace")


class EventStream(StreamingResponse):
    """Sends `first`, then results of `more` until None; calls `left` at the end."""

    media_type = "text/event-stream"

    def __init__(
        self,
        first: bytes,
        more: Callable[[], Awaitable[bytes | None]],
        left: Callable[[], object],
    ) -> None:
        super().__init__(_parts(first, more))
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the stream ends, or the client disconnects or stops reading."""

        async def sent(message: Message) -> None:
            await asyncio.wait_for(send(message), STALLED_SECONDS)

        try:
            with suppress(TimeoutError):
                await super().__call__(scope, receive, sent)
        finally:
            self._left()


async def _parts(first: bytes, more: Callable[[], Awaitable[bytes | None]]) -> AsyncIterator[bytes]:
    yield first
    coming = asyncio.ensure_future(more())
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
            coming = asyncio.ensure_future(more())
    finally:
        coming.cancel()
