"""The client: one method per operation of the daemon, and waiting for its work.

`calls/` and `plans.py` describe the methods.
"""

import time
from collections.abc import Iterator
from typing import Any, Self

from signet.client import plans
from signet.client.answers import MemorySummary
from signet.client.call import Call, Plan, T, Wait
from signet.client.plain import PlainSignet
from signet.errors import SignetError


class Signet(PlainSignet, plans.Plans):
    """Client of a workspace's daemon; holds no connection between calls, and threads may share it.

    `path` names a workspace, `url` an address; without either the environment decides (see `address.py`). Every call
    raises DaemonNotRunning or DaemonSilent without an answer, and the `SignetError` of a refusal.
    """

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
        return self.send(asked) if isinstance(asked, Call) else self.follow(asked)

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
