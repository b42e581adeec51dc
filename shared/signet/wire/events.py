"""What happens in the daemon, while it happens: ids and kinds, no text."""

from collections.abc import Mapping
from typing import TypedDict

from signet.wire import access
from signet.wire.access import Rule
from signet.wire.operation import Operation

#: What can be followed, and the rule of the operation that shows what an event of it points at.
TOPICS: Mapping[str, Rule] = {
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
    """What has happened in one topic, which is the name of the event.

    `kind` is what happened, or `several`; `ids` are those of memories, sessions (their keys), jobs, tasks, or names of
    processes, at most 100; `count` is of all. After a gap of a topic that keeps no record `kind` is `unknown`.
    """

    kind: str
    ids: list[str]
    count: int


EVENTS = Operation("GET", "/api/events", access.KNOWN, str, media_type="text/event-stream")
