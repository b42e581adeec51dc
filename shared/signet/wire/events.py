"""Live events of the daemon: IDs and kinds, no text."""

from collections.abc import Mapping
from typing import TypedDict

from signet.wire import access
from signet.wire.access import AccessRule
from signet.wire.operation import get

#: Topics, with the rule of the operation that shows the rows of their events.
TOPICS: Mapping[str, AccessRule] = {
    "memory": access.RECALL,
    "session": access.RECALL,
    "recall": access.RECALL,
    "job": access.JOBS,
    "process": access.KNOWN,
    "health": access.KNOWN,
    "config": access.LOCAL,
    "task": access.LOCAL,
    "log": access.LOCAL,
}


class TopicEvent(TypedDict):
    """An event of one topic; the topic is the event's name.

    `kind` is the change, or `several`; `ids` are those of memories, sessions (their keys), jobs, tasks, or names of
    processes, at most 100; `count` is the total. After a gap in a topic without a record `kind` is `unknown`.
    """

    kind: str
    ids: list[str]
    count: int


EVENTS = get("/api/events", access.KNOWN, str, media_type="text/event-stream")
