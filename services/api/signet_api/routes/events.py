"""Live events of all or some topics: Server-Sent Events."""

from typing import Annotated

from fastapi import Header, Query

from signet.domain.auth import caller
from signet.errors import Invalid, Unavailable
from signet.wire import events as wire
from signet.wire.requests.browse import EventParams
from signet_api import eventfeed
from signet_api.deps import Shared
from signet_api.eventfeed import EventFollower
from signet_api.serving import serves
from signet_api.stream import EventStream


@serves(wire.EVENTS)
async def get_events(
    state: Shared,
    query: Annotated[EventParams, Query()],
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Stream events from now on, or since `Last-Event-ID`, of all or the named topics: IDs and kinds, no text.

    Events are named after their topic. `hello` starts the stream, `missed` marks a gap.
    """
    if state.is_stopping:
        raise Unavailable("The daemon is stopping")
    asked = caller.current()
    chosen = query.topics or [name for name, rule in wire.TOPICS.items() if asked.may(rule)]
    for name in chosen:
        if name not in wire.TOPICS:
            raise Invalid(f"topics: unknown topic {name!r}; choose from {', '.join(wire.TOPICS)}")
        asked.check(wire.TOPICS[name])
        asked.check_within(wire.TOPICS[name])
    follower = EventFollower(state, asked, chosen, eventfeed.Cursor.parse(last_event_id))
    with state.event_listeners.joining():
        first = await follower.begin(last_event_id)
    return EventStream(state, first, follower.look, follower.leave)
