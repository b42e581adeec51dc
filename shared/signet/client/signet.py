"""The client: one method for each thing the daemon does, and waiting for its work to be done.

What the methods ask, take and answer is described in `calls/` and `plans.py`.
"""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self, Unpack
from weakref import WeakSet

from signet.client import plans, retry, transport
from signet.client.answers import MemorySummary
from signet.client.call import Call, Pause, Plan, T, answer
from signet.client.calls import Calls
from signet.client.target import Options, Target, find
from signet.errors import SignetError

if TYPE_CHECKING:
    from signet.client.events import Events


class Signet(Calls, plans.Plans):
    """Speaks to the daemon of a workspace; holds no connection between calls, may be shared by threads.

    Use it as a context manager, or as it is: only the streams of `job_events` stay open until they are closed.
    `path` names a workspace, `url` an address; without either the environment decides (see `address.py`). Every call
    raises DaemonNotRunning or DaemonSilent when nobody answers, and the `SignetError` of a refusal.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self._target = find(**options)
        self._streams: WeakSet[Events] = WeakSet()
        self.url = self._target.url

    @property
    def target(self) -> Target:
        """Return where calls go, as whom, and how long they wait."""
        return self._target

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every stream of events that this client opened; calling it again does no harm."""
        for stream in tuple(self._streams):
            stream.close()

    def job_events(self, *, after: str | None = None) -> "Events":
        """Return what happens to jobs from now on, or after the `last_id` of an earlier listening."""
        from signet.client.events import Events

        events = Events(self._target, after)
        self._streams.add(events)
        return events

    def each_memory(
        self,
        *,
        type: str | None = None,
        page: int = plans.MEMORIES,
        agent_id: str | None = None,
    ) -> Iterator[MemorySummary]:
        """Yield every memory, newest first, a `page` at a time."""
        pages = plans.Pages(type=type, page=page, agent_id=agent_id)
        while (fresh := pages.take(self.send(pages.call()))) is not None:
            yield from fresh

    def export(
        self,
        *,
        since: str | None = None,
        vectors: bool = False,
        everything: bool = False,
        agent_id: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yield every record of an export (see `export_page`); `import_records` takes them in again."""
        cursor: str | None = None
        while True:
            page = self.export_page(
                cursor=cursor,
                since=since,
                vectors=vectors,
                everything=everything,
                agent_id=agent_id,
            )
            yield from page["records"]
            if (cursor := page["next"]) is None:
                return

    def perform(self, asked: Call[T] | Plan[T]) -> T:
        """Return the answer to a call, or what a plan ends with."""
        return self.send(asked) if isinstance(asked, Call) else self.follow(asked)

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call; one that may be sent again is, when the daemon says "later"."""
        attempt = 0
        while True:
            try:
                return answer(call, transport.send(self._target, call))
            except SignetError as error:
                pause = retry.pause_seconds(
                    call, error, attempt=attempt, retries=self._target.retries
                )
                if pause is None:
                    raise
            time.sleep(pause)
            attempt += 1

    def follow(self, plan: Plan[T]) -> T:
        """Return what a plan ends with; it is told of a refusal, and raises it unless it knows better."""
        found: Any = None
        while True:
            try:
                step = plan.throw(found) if isinstance(found, SignetError) else plan.send(found)
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                found = self.send(step) if isinstance(step, Call) else None
            except SignetError as error:
                found = error
            if isinstance(step, Pause):
                time.sleep(step.seconds)
