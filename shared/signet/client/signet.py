"""The client: one method per operation of the daemon, and waiting for its work.

`calls/` and `plans.py` describe the methods.
"""

import time
from collections.abc import Iterator
from typing import Any, Self, Unpack

from signet.client import plans, transport
from signet.client.answers import MemorySummary
from signet.client.call import Call, Plan, T, Wait, answer
from signet.client.calls import Calls
from signet.client.errors import ConnectionBroken, RateLimited
from signet.client.target import CallTarget, Options, find
from signet.errors import Frozen, SignetError, Unavailable


class Signet(Calls, plans.Plans):
    """Client of a workspace's daemon; holds no connection between calls, and threads may share it.

    `path` names a workspace, `url` an address; without either the environment decides (see `address.py`). Every call
    raises DaemonNotRunning or DaemonSilent without an answer, and the `SignetError` of a refusal.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self._target = find(**options)
        self.url = self._target.url

    @property
    def target(self) -> CallTarget:
        """Return the address, identity and timeouts of calls."""
        return self._target

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close nothing: each call has its own connection."""

    def each_memory(
        self, *, type: str | None = None, page: int = plans.MEMORIES, agent_id: str | None = None
    ) -> Iterator[MemorySummary]:
        """Yield every memory, newest first, fetching `page` at a time."""
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
        """Yield every record of an export (see `export_page`) for `import_records`."""
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
        """Return the answer to a call, or the result of a plan."""
        return self.send(asked) if isinstance(asked, Call) else self.follow(asked)

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call, retrying a safe one when the daemon is temporarily unavailable."""
        attempt = 0
        while True:
            try:
                return answer(call, transport.send(self._target, call))
            except SignetError as error:
                pause = pause_seconds(call, error, attempt=attempt, retries=self._target.retries)
                if pause is None:
                    raise
            time.sleep(pause)
            attempt += 1

    def follow(self, plan: Plan[T]) -> T:
        """Run a plan and return its result. Errors are thrown into it, and raised unless it handles them."""
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
            if isinstance(step, Wait):
                time.sleep(step.seconds)


#: The first pause if the daemon names none; each further one is twice as long.
FIRST_PAUSE_SECONDS = 0.1
#: The caller gets the error if the daemon asks to wait longer.
MAX_PAUSE_SECONDS = 5.0


def pause_seconds(
    call: Call[Any], error: SignetError, *, attempt: int, retries: int
) -> float | None:
    """Return the seconds to wait before retrying after the failed `attempt` (from 0), None to give up."""
    if not call.is_safe or attempt >= retries or not _will_pass(error):
        return None
    pause = FIRST_PAUSE_SECONDS * 2**attempt
    if isinstance(error, RateLimited | Unavailable) and error.retry_after is not None:
        pause = error.retry_after
    return pause if pause <= MAX_PAUSE_SECONDS else None


def _will_pass(error: SignetError) -> bool:
    if isinstance(error, ConnectionBroken):
        return True
    is_said = isinstance(error, RateLimited | Unavailable) and "http_status" in error.facts
    return is_said and error.code != Frozen.code
