"""What happens to jobs, in whatever process, for one client of the stream (queue/events.py).

A look that finds nothing committed since the last one reads no row. A client that reads slowly goes on where it was.
"""

from dataclasses import asdict, dataclass

from signet import clock
from signet.errors import Unavailable
from signet.observe import logs
from signet.queue.events import Cursor, Event, Look, Watch
from signet_api.deps import State
from signet_api.stream import message

log = logs.get("api")

#: How often is looked; also the longest delay of an event.
LOOK_SECONDS = 0.2
#: What clients call the fields of an event.
_NAMES = {"what": "event", "job_id": "id", "kind": "job_type", "code": "last_error_code"} | {
    "due_at": "next_attempt_at"
}


@dataclass(slots=True)
class JobFollower:
    """One client, and what it was told last."""

    state: State
    watch: Watch
    _seen: int | None = None

    async def look(self) -> bytes:
        """Return what has happened since the last look as events."""
        # Read before the look, so that a later commit causes another one.
        version = self.state.commits.version()
        if version == self._seen:
            return b""
        before = self.watch.cursor
        try:
            look = await self.state.db.aread(self.watch.look, now=clock.now())
        except Unavailable as error:  # busy: the next look finds it
            log.warning("events.look_failed", code=error.code)
            return b""
        self._seen = None if look.more else version
        return (missed(before) if look.missed else b"") + _written(look, before)


def missed(cursor: Cursor) -> bytes:
    """Return the message that says that events are missing here."""
    return message({}, id=cursor, event="missed")


def ready(cursor: Cursor) -> bytes:
    """Return the first message: from here on every event is sent."""
    return message({}, id=cursor, event="ready")


def _written(look: Look, before: Cursor) -> bytes:
    """Return the events of a look as text of the stream.

    A client that has not read the last of them continues before the first: nothing is left out, some may come twice.
    """
    ids = [before] * (len(look.events) - 1) + [look.cursor]
    return b"".join(map(_message, ids, look.events))


def _message(cursor: Cursor, event: Event) -> bytes:
    data = {_NAMES.get(name, name): value for name, value in asdict(event).items()}
    return message(data, id=cursor, event=event.what)
