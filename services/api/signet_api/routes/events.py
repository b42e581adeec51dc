"""Tell what happens to jobs, while it happens: Server-Sent Events.

Events are named after what happened, their data is the job. A client that comes again with `Last-Event-ID` hears what
it has missed; what happened just before may then come twice. `ready` says from where on everything is told, `missed`
that more happened than can be told again: what was read before is old.
"""

from typing import Annotated

from fastapi import Header, Query

from signet import clock
from signet.domain.auth import caller
from signet.domain.auth.caller import Caller
from signet.errors import Forbidden, Invalid, Unavailable
from signet.queue.events import Cursor, Watch
from signet.wire import events as wire_events
from signet.wire import jobs as wire
from signet.wire.access import Rule
from signet.wire.events import TOPICS
from signet.wire.requests.browse import EventParams
from signet_api import eventfeed
from signet_api.deps import Shared
from signet_api.eventfeed import EventFollower
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


@serves(wire_events.EVENTS)
async def get_events(
    state: Shared,
    query: Annotated[EventParams, Query()],
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Tell what happens from now on, or since `Last-Event-ID`, in all topics or the named ones: ids and kinds, no text.

    Events are named after their topic. `hello` comes first, `missed` where more has happened than is told.
    """
    if state.is_stopping:
        raise Unavailable("The daemon is stopping")
    asked = caller.current()
    chosen = query.topics or [name for name, rule in TOPICS.items() if _may_follow(asked, rule)]
    for name in chosen:
        if name not in TOPICS:
            raise Invalid(f"topics: no topic {name!r}; there are {', '.join(TOPICS)}")
        asked.check(TOPICS[name].permission)
        asked.check_within(TOPICS[name])
    follower = EventFollower(state, asked, chosen, eventfeed.Cursor.parse(last_event_id))
    with state.event_listeners.joining():
        first = await follower.begin(last_event_id)
    more = polled(follower.look, eventfeed.LOOK_SECONDS, lambda: state.is_stopping)
    return EventStream(first, more, follower.leave)


def _may_follow(asked: Caller, rule: Rule) -> bool:
    try:
        asked.check(rule.permission)
        asked.check_within(rule)
    except Forbidden:
        return False
    return True
