"""The asynchronous client: the methods of `Signet`, awaitable.

Each exchange is one of `Signet`, in a separate thread, so both clients connect, check and retry in the same way.
"""

from collections.abc import AsyncIterator, Callable
from typing import Any, Self, TypeVar, Unpack

from signet.client import plans
from signet.client.answers import MemorySummary
from signet.client.call import Call, Plan, T, Wait
from signet.client.calls import Calls
from signet.client.signet import Signet
from signet.client.target import Options
from signet.errors import SignetError

R = TypeVar("R")


async def in_thread(work: Callable[[], R]) -> R:
    """Return the result of work that blocks; its thread does not keep the process alive."""
    from asyncio import wrap_future
    from concurrent.futures import Future
    from threading import Thread

    done: Future[R] = Future()
    done.set_running_or_notify_cancel()  # a cancelled wait leaves the thread alone

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, name="signet-client", daemon=True).start()
    return await wrap_future(done)


class AsyncSignet(Calls, plans.Plans):
    """Client of a workspace's daemon for asyncio; holds no connection between calls.

    Used like `Signet`; raises the same errors. asyncio is imported at the first call.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        self._signet = Signet(**options)
        self.url = self._signet.url

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close nothing: each call has its own connection."""

    async def each_memory(
        self, *, type: str | None = None, page: int = plans.MEMORIES, agent_id: str | None = None
    ) -> AsyncIterator[MemorySummary]:
        """Yield every memory, newest first, fetching `page` at a time."""
        pages = plans.Pages(type=type, page=page, agent_id=agent_id)
        while (fresh := pages.take(await self.send(pages.call()))) is not None:
            for one in fresh:
                yield one

    async def export(
        self,
        *,
        since: str | None = None,
        vectors: bool = False,
        everything: bool = False,
        agent_id: str | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield every record of an export (see `export_page`) for `import_records`."""
        cursor: str | None = None
        while True:
            page = await self.export_page(
                cursor=cursor,
                since=since,
                vectors=vectors,
                everything=everything,
                agent_id=agent_id,
            )
            for record in page["records"]:
                yield record
            if (cursor := page["next"]) is None:
                return

    async def perform(self, asked: Call[T] | Plan[T]) -> T:
        return await self.send(asked) if isinstance(asked, Call) else await self.follow(asked)

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call, retrying a safe one when the daemon is temporarily unavailable."""
        return await in_thread(lambda: self._signet.send(call))

    async def follow(self, plan: Plan[T]) -> T:
        """Run a plan and return its result. Errors are thrown into it, and raised unless it handles them."""
        import asyncio

        found: Any = None
        while True:
            try:
                step = plan.throw(found) if isinstance(found, SignetError) else plan.send(found)
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                found = await self.send(step) if isinstance(step, Call) else None
            except SignetError as error:
                found = error
            if isinstance(step, Wait):
                await asyncio.sleep(step.seconds)
