"""An answer that goes on: Server-Sent Events, until either side ends it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

#: A line without meaning after so long, so that both sides know that the other is there.
KEEPALIVE_SECONDS = 15.0
#: Who takes nothing for so long is gone.
STALLED_SECONDS = 10.0
_STILL_HERE = b": keepalive\n\n"


class EventStream(Response):
    """Sends `first` and then what `more` returns, time after time, until that is None; `left` is called at the end."""

    media_type = "text/event-stream"

    def __init__(
        self,
        first: bytes,
        more: Callable[[], Awaitable[bytes | None]],
        left: Callable[[], object],
    ) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._first = first
        self._more = more
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the client is gone, does not read, or there is no more."""
        telling = asyncio.create_task(self._tell(send))
        leaving = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({telling, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._left()
            for task in (telling, leaving):
                task.cancel()
                with suppress(asyncio.CancelledError, TimeoutError):
                    await task

    async def _tell(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await _sent(send, self._first, is_last=False)
        coming = asyncio.ensure_future(self._more())
        try:
            while True:
                # Not `wait_for`, which would end what is being read.
                await asyncio.wait({coming}, timeout=KEEPALIVE_SECONDS)
                if not coming.done():
                    await _sent(send, _STILL_HERE, is_last=False)
                    continue
                some = coming.result()
                await _sent(send, some or b"", is_last=some is None)
                if some is None:
                    return
                coming = asyncio.ensure_future(self._more())
        finally:
            coming.cancel()


async def _sent(send: Send, body: bytes, *, is_last: bool) -> None:
    message = {"type": "http.response.body", "body": body, "more_body": not is_last}
    await asyncio.wait_for(send(message), STALLED_SECONDS)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
