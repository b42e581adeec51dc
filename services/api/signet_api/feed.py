"""Tells listeners what happens to jobs, in whatever process: one watch for all of them, none while nobody listens.

A thread asks SQLite five times a second whether any process has committed something, which reads no row, and only then
looks (queue/events.py). What it finds is formatted once and given to every listener. A listener that leaves too many
looks unread is disconnected, and may connect again with its last event id.
"""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import closing

from signet import clock
from signet.db import Database
from signet.db.driver import connect
from signet.errors import SignetError, Unavailable
from signet.observe import logs
from signet.queue.events import Cursor, Event, Watch
from signet_api.stream import MAX_LISTENERS, TooManyListeners, message

log = logs.get("api")

#: How often SQLite is asked whether anything was committed; also the longest delay of an event.
LOOK_SECONDS = 0.2
#: Looks that a listener may leave unread.
MAX_UNREAD = 32


class Listener:
    """One client's looks, in order. For the event loop's thread."""

    def __init__(self, cursor: Cursor) -> None:
        #: The first event of this listener comes after this.
        self.cursor = cursor
        self._looks: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_UNREAD)

    async def next(self) -> bytes | None:
        """Return the events of the next look as text of the stream, None at the end."""
        return await self._looks.get()

    def offer(self, look: bytes) -> bool:
        """Keep a look to be read; False when too many wait already, and then the listener is ended."""
        if self._looks.full():
            self.end()
            return False
        self._looks.put_nowait(look)
        return True

    def end(self) -> None:
        """Let `next` return None; what was not read is lost."""
        while not self._looks.empty():
            self._looks.get_nowait()
        self._looks.put_nowait(None)


class Feed:
    """The listeners of this process. All but `close` is for the event loop's thread."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._listeners: set[Listener] = set()
        self._joining = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch: Watch | None = None
        self._thread: threading.Thread | None = None
        self._idle = threading.Event()
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Return whether the daemon stops, and with it every stream."""
        return self._is_closed

    async def join(self) -> Listener:
        """Return a new listener; raises TooManyListeners, and Unavailable while the daemon stops."""
        async with self._joining:
            if self._is_closed:
                raise Unavailable("The daemon is stopping")
            if len(self._listeners) >= MAX_LISTENERS:
                raise TooManyListeners(
                    "Too many programs listen to job events already; end one of them"
                )
            if self._watch is None:
                self._watch = await self._db.aread(Watch.begin, now=clock.now())
                self._start(self._watch)
            listener = Listener(self._watch.cursor)
            self._listeners.add(listener)
            return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener; the last one ends the watch."""
        self._listeners.discard(listener)
        if not self._listeners:
            self._idle.set()
            self._watch = None

    def close(self) -> None:
        """End every listener, now and from now on; from any thread."""
        self._is_closed = True
        self._idle.set()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_all)
        if self._thread is not None:
            self._thread.join()

    def _start(self, watch: Watch) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(watch, self._loop, self._idle), name="job-events", daemon=True
        )
        self._thread.start()

    def _run(self, watch: Watch, loop: asyncio.AbstractEventLoop, idle: threading.Event) -> None:
        with closing(connect(self._db.path, read_only=True)) as watcher:
            seen = None
            while not idle.wait(LOOK_SECONDS):
                # Read before the look, so that a later commit causes another one.
                version = int(watcher.execute("PRAGMA data_version").fetchone()[0])
                if version == seen:
                    continue
                before = watch.cursor
                try:
                    look = self._db.read(watch.look, now=clock.now())
                except SignetError as error:  # busy: the next look finds it
                    log.warning("events.look_failed", code=error.code)
                    continue
                seen = None if look.more else version
                found = b"" if not look.missed else missed(before)
                found += written(look.events, before, look.cursor)
                if found and not loop.is_closed():
                    loop.call_soon_threadsafe(self._spread, watch, found)

    def _spread(self, watch: Watch, found: bytes) -> None:
        if watch is not self._watch:
            return  # its listeners have left
        for listener in list(self._listeners):
            if not listener.offer(found):
                log.warning("events.listener_dropped", unread=MAX_UNREAD)
                self.leave(listener)

    def _end_all(self) -> None:
        for listener in list(self._listeners):
            listener.end()


def written(events: Sequence[Event], before: Cursor, after: Cursor) -> bytes:
    """Return the events of a look as text of the stream.

    A client that has not read the last of them continues before the first: nothing is left out, some may come twice.
    """
    ids = [before] * (len(events) - 1) + [after]
    return b"".join(map(_message, ids, events))


def missed(cursor: Cursor) -> bytes:
    """Return the message that says that events are missing here."""
    return message({}, id=cursor, event="missed")


def ready(cursor: Cursor) -> bytes:
    """Return the first message: from here on every event is sent."""
    return message({}, id=cursor, event="ready")


def _message(cursor: Cursor, event: Event) -> bytes:
    data = {
        "event": event.what,
        "id": event.job_id,
        "job_type": event.kind,
        "queue": event.queue,
        "status": event.status,
        "memory_id": event.memory_id,
        "document_id": event.document_id,
        "attempts": event.attempts,
        "max_attempts": event.max_attempts,
        "error": event.error,
        "last_error_code": event.code,
        "next_attempt_at": event.due_at,
        "at": event.at,
    }
    return message(data, id=cursor, event=event.what)
