"""Tell what happens to jobs, while it happens: Server-Sent Events.

Events are named after what happened, their data is the job. A client that comes again with `Last-Event-ID` hears what
it has missed; what happened just before may then come twice. `ready` says from where on everything is told, `missed`
that more happened than can be told again: what was read before is old.
"""

import asyncio
from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from signet import clock
from signet.queue import events
from signet.queue.events import Cursor
from signet_api import feed
from signet_api.deps import Shared
from signet_api.feed import Feed, Listener

router = APIRouter(tags=["jobs"])

#: A line without meaning after so long, so that both sides know that the other is there.
KEEPALIVE_SECONDS = 15.0
#: Who takes nothing for so long is gone.
STALLED_SECONDS = 10.0


@router.get("/api/jobs/stream", response_class=Response)
async def get_stream(request: Request, state: Shared) -> Response:
    """Tell what happens to jobs from now on, or since `Last-Event-ID`, for as long as the client listens."""
    listener = await state.feed.join()
    try:
        last = request.headers.get("last-event-id") or request.query_params.get("after")
        cursor = Cursor.parse(last)
        past = b"" if last is None else feed.missed(listener.cursor)
        if cursor is not None:
            look = await state.db.aread(events.since, cursor, now=clock.now())
            if not (look.more or look.missed):
                past = feed.written(look.events, cursor, listener.cursor)
    except BaseException:
        state.feed.leave(listener)
        raise
    return _Stream(state.feed, listener, feed.ready(listener.cursor) + past)


class _Stream(Response):
    """The answer that goes on; ends when either side wants it to."""

    media_type = "text/event-stream"

    def __init__(self, source: Feed, listener: Listener, first: bytes) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._source = source
        self._listener = listener
        self._first = first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the client is gone, does not read, or the daemon stops."""
        telling = asyncio.create_task(self._tell(send))
        leaving = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({telling, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._source.leave(self._listener)
            for task in (telling, leaving):
                task.cancel()
                with suppress(asyncio.CancelledError, TimeoutError):
                    await task

    async def _tell(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        some: bytes | None = self._first
        while some is not None:
            body = {"type": "http.response.body", "body": some, "more_body": True}
            await asyncio.wait_for(send(body), STALLED_SECONDS)
            try:
                some = await asyncio.wait_for(self._listener.next(), KEEPALIVE_SECONDS)
            except TimeoutError:
                some = b": still here\n\n"
        await asyncio.wait_for(
            send({"type": "http.response.body", "body": b"", "more_body": False}), STALLED_SECONDS
        )


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
