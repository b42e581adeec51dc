"""Tell what happens to jobs, while it happens: Server-Sent Events.

Events are named after what happened, their data is the job. A client that comes again with `Last-Event-ID` hears what
it has missed; what happened just before may then come twice. `ready` says from where on everything is told, `missed`
that more happened than can be told again: what was read before is old.
"""

from typing import Annotated

from fastapi import Header

from signet import clock
from signet.errors import Unavailable
from signet.queue.events import Cursor, Watch
from signet.wire import jobs as wire
from signet_api.deps import Shared
from signet_api.feed import LOOK_SECONDS, JobFollower, missed, ready
from signet_api.serving import serves
from signet_api.stream import EventStream, polled


@serves(wire.JOB_STREAM)
async def get_job_stream(
    state: Shared,
    after: str | None = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Tell what happens to jobs from now on, or since `Last-Event-ID`, for as long as the client listens."""
    if state.is_stopping:
        raise Unavailable("The daemon is stopping")
    last = last_event_id or after
    cursor = Cursor.parse(last)
    with state.job_listeners.joining():
        watch = Watch(cursor) if cursor else await state.db.aread(Watch.begin, now=clock.now())
    first = ready(watch.cursor) + (missed(watch.cursor) if last and not cursor else b"")
    more = polled(JobFollower(state, watch).look, LOOK_SECONDS, lambda: state.is_stopping)
    return EventStream(first, more, state.job_listeners.leave)
