"""Live events of all or some topics: Server-Sent Events."""

import asyncio
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple, Self

from fastapi import Header, Query

from signet import clock
from signet.db import ReadTx, barrier, processes
from signet.domain.auth import caller
from signet.domain.auth.caller import Caller
from signet.domain.injections import record
from signet.domain.memory import history, lookup
from signet.domain.sessions import running
from signet.domain.tasks import scheduled
from signet.errors import Invalid, Unavailable
from signet.ids import space_of
from signet.observe import logfile
from signet.queue.events import EventCursor as JobCursor
from signet.queue.events import EventWatch
from signet.wire import events as wire
from signet.wire.access import Verb
from signet.wire.events import TopicEvent
from signet.wire.requests.browse import EventParams
from signet_api import scopes
from signet_api.deps import Shared, State
from signet_api.serving import serves
from signet_api.stream import EventStream, LogTail, OnCommit, message


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
    follower = EventFollower(state, asked, chosen, Cursor.parse(last_event_id))
    with state.event_listeners.joining():
        first = await follower.begin(last_event_id)
    return EventStream(state, first, follower.poll, follower.leave)


#: Maximum rows of one table per poll; more are reported as missed.
MOST_ROWS = 500
#: Maximum IDs in one message.
MOST_IDS = 100
SEVERAL, UNKNOWN = "several", "unknown"
#: Topics without a record of events before the connection.
UNRECORDED = ("session", "process", "health", "config", "task", "log")
_CURSOR = re.compile(r"(\d{1,18})\.(\d{1,18})\.(\d{1,18}-\d{1,15})")


class Happened(NamedTuple):
    """One event, and the ID of its object."""

    topic: str
    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last change of a memory, injection and job that the client received."""

    change: int
    injection: int
    job: JobCursor

    def __str__(self) -> str:
        return f"{self.change}.{self.injection}.{self.job}"

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """Parse a cursor; None if invalid."""
        found = _CURSOR.fullmatch(text or "")
        job = JobCursor.parse(found[3]) if found else None
        return cls(int(found[1]), int(found[2]), job) if found and job else None


@dataclass(slots=True)
class EventFollower:
    """One client of the stream."""

    state: State
    caller: Caller
    topics: Collection[str]
    cursor: Cursor | None
    _watch: EventWatch | None = None
    _rows: OnCommit = field(init=False)
    _tail: LogTail | None = None
    #: The previous snapshot by topic and ID.
    _known: dict[str, Mapping[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rows = OnCommit(self.state)

    async def begin(self, last: str | None) -> bytes:
        """Return the first message; also `missed` if events after `last` are no longer available."""
        if "log" in self.topics:
            place = logfile.place(self.state.workspace.log_dir, os.environ)
            self._tail = await asyncio.to_thread(LogTail, place)
        if self.cursor is None:
            self.cursor, self._watch = await self.state.db.aread(_now)
        else:
            self._watch = EventWatch(self.cursor.job)
        await self.state.db.aread(self._compared)
        self._inside()
        first = message({"topics": sorted(self.topics)}, id=self.cursor, event="hello")
        if last and Cursor.parse(last) is None:
            return first + self._missed()
        return first + (
            self._written(Happened(one, UNKNOWN, "") for one in UNRECORDED) if last else b""
        )

    async def poll(self) -> bytes:
        """Return the events since the last poll."""
        found = [*await asyncio.to_thread(self._lines), *self._inside()]
        rows = await self._rows.read(self._committed)
        if rows is None:
            return self._written(found)
        committed, is_whole = rows
        if is_whole:
            return self._written([*found, *committed])
        self._rows.again()
        return self._missed() + self._written([*found, *committed])

    def leave(self) -> None:
        """Release the client's resources."""
        self.state.event_listeners.leave()
        if self._tail is not None:
            self._tail.close()

    def _committed(self, tx: ReadTx) -> tuple[list[Happened], bool]:
        """Return the committed events since the last poll, and whether they are complete."""
        assert self.cursor is not None and self._watch is not None
        changes = history.since(tx, self.cursor.change, limit=MOST_ROWS)
        given = record.since(tx, self.cursor.injection, limit=MOST_ROWS)
        jobs = self._watch.poll(tx, now=clock.now())
        is_whole = not (jobs.more or jobs.missed) and max(len(changes), len(given)) < MOST_ROWS
        if is_whole:
            change = changes[-1].number if changes else self.cursor.change
            injection = given[-1].seq if given else self.cursor.injection
        else:
            change, injection = history.last(tx), record.last(tx)
        self.cursor = Cursor(change, injection, jobs.cursor)
        mine = self._mine(tx, {one.memory_id for one in changes})
        found = [
            Happened("memory", one.event, one.memory_id) for one in changes if one.memory_id in mine
        ]
        for one in given:
            if self._may_see(one.agent_id, one.project):
                topic = "recall" if one.phase == "recall" else "session"
                found.append(Happened(topic, one.phase, one.session_key))
        theirs = scopes.visible_jobs(tx, self.caller, {one.id for one in jobs.events})
        found += [Happened("job", one.event, one.id) for one in jobs.events if one.id in theirs]
        return [*found, *self._compared(tx)], is_whole

    def _compared(self, tx: ReadTx) -> list[Happened]:
        scope, now = self.caller.scope, clock.now()
        live = running.find(tx, agent_id=scope.agent, project=scope.project, now=now)
        return [
            *self._changed("session", {one["key"]: one["bypassed"] for one in live}),
            *self._changed("process", {one.owner: one.kind for one in processes.every(tx)}),
            *self._changed("task", {one.id: (one, ended) for one, ended in scheduled.every(tx)}),
        ]

    def _inside(self) -> list[Happened]:
        """Return changes of this process's settings and of the daemon's health."""
        seen, loaded = self.state.health.last, self.state.live.loaded
        return [
            *self._changed("health", {"": seen.reasons}),
            *self._changed("config", {"agent.yaml": loaded.fingerprint}),
        ]

    def _changed(self, topic: str, now: Mapping[str, object]) -> list[Happened]:
        before = self._known.get(topic)
        self._known[topic] = now
        if before is None or before == now:
            return []
        kinds = {"process": ("started", "stopped"), "session": ("started", "ended")}
        came, went = kinds.get(topic, ("added", "removed"))
        named = {**before, **now} if topic == "process" else {}
        return [
            Happened(
                topic,
                came if id not in before else went if id not in now else "changed",
                str(named.get(id, id)),
            )
            for id in dict.fromkeys((*before, *now))
            if before.get(id, self) != now.get(id, self)
        ]

    def _lines(self) -> list[Happened]:
        entries = [] if self._tail is None else self._tail.take()
        return [Happened("log", str(one.get("level", "info")), "") for one in entries]

    def _mine(self, tx: ReadTx, memory_ids: Collection[str]) -> Collection[str]:
        """Return the memories that the caller may see; deleted ones only for tokens without limits."""
        is_limited = self.caller.scope.limits() or self.caller.spaces(Verb.READ) is not None
        if not (is_limited or self.caller.hidden):
            return memory_ids
        with barrier.lifted(tx.connection):  # or those of others would look deleted
            owned = lookup.owners(tx, list(memory_ids))
        seen = {one.id for one in owned if self._may_see(one.agent_id, one.project, one.visibility)}
        gone = () if self.caller.scope.limits() else {*memory_ids} - {one.id for one in owned}
        return seen.union(gone)

    def _may_see(self, agent: str, project: str | None, visibility: str | None = None) -> bool:
        bound = self.caller.scope
        if space := space_of(visibility):
            reads = self.caller.may_in(space, Verb.READ)
            return reads and bound.project in (None, project)
        is_within = bound.agent in (None, agent) and bound.project in (None, project)
        return is_within and not self.caller.hides(agent)

    def _missed(self) -> bytes:
        return message({}, id=self.cursor, event="missed")

    def _written(self, happened: Iterable[Happened]) -> bytes:
        """Return one message per topic with events."""
        by_topic: dict[str, list[Happened]] = {}
        for one in happened:
            if one.topic in self.topics:
                by_topic.setdefault(one.topic, []).append(one)
        return b"".join(
            message(_event(found), id=self.cursor, event=topic) for topic, found in by_topic.items()
        )


def _event(happened: list[Happened]) -> TopicEvent:
    kinds = {one.kind for one in happened}
    ids = list(dict.fromkeys(one.id for one in happened if one.id))
    return {
        "kind": kinds.pop() if len(kinds) == 1 else SEVERAL,
        "ids": ids[:MOST_IDS],
        "count": len(happened),
    }


def _now(tx: ReadTx) -> tuple[Cursor, EventWatch]:
    watch = EventWatch.begin(tx, now=clock.now())
    return Cursor(history.last(tx), record.last(tx), watch.cursor), watch
