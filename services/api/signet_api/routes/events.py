"""Tell what happens to jobs, while it happens: Server-Sent Events.

Events are named after what happened, their data is the job. A client that comes again with `Last-Event-ID` hears what
it has missed; what happened just before may then come twice. `ready` says from where on everything is told, `missed`
that more happened than can be told again: what was read before is old.
"""

from functools import partial
from typing import Annotated

from fastapi import Header
from starlette.responses import Response

from signet import clock
from signet.queue import events
from signet.queue.events import Cursor
from signet.wire import jobs as wire
from signet_api import feed
from signet_api.deps import Shared
from signet_api.serving import serves
from signet_api.stream import EventStream


@serves(wire.JOB_STREAM)
async def get_job_stream(
    state: Shared,
    after: str | None = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """Tell what happens to jobs from now on, or since `Last-Event-ID`, for as long as the client listens."""
    listener = await state.feed.join()
    try:
        last = last_event_id or after
        cursor = Cursor.parse(last)
        past = b"" if last is None else feed.missed(listener.cursor)
        if cursor is not None:
            look = await state.db.aread(events.since, cursor, now=clock.now())
            if not (look.more or look.missed):
                past = feed.written(look.events, cursor, listener.cursor)
    except BaseException:
        state.feed.leave(listener)
        raise
    first = feed.ready(listener.cursor) + past
    return EventStream(first, listener.next, partial(state.feed.leave, listener))
