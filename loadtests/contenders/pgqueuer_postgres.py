"""pgqueuer on PostgreSQL over asyncpg, one worker process that takes 50 jobs at a time. PLACE: a database's address."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import asyncpg  # type: ignore[import-not-found]  # a peer, not a dependency
from loadtests.contenders import side
from pgqueuer import QueueManager  # type: ignore[import-not-found]
from pgqueuer.db import AsyncpgDriver  # type: ignore[import-not-found]
from pgqueuer.queries import Queries  # type: ignore[import-not-found]

NAME = "noop"
BATCH = 50


def sender(place: str) -> side.Send:
    """Make the tables; return a function that enqueues one job."""
    loop = asyncio.new_event_loop()
    queries = Queries(AsyncpgDriver(loop.run_until_complete(asyncpg.connect(place))))
    loop.run_until_complete(queries.install())

    def send(number: int) -> None:
        loop.run_until_complete(queries.enqueue(NAME, str(number).encode()))

    return send


def work(place: str, begin: Callable[[int], None]) -> None:
    """Start the worker in a thread."""

    async def run() -> None:
        manager = QueueManager(Queries(AsyncpgDriver(await asyncpg.connect(place))))

        @manager.entrypoint(NAME)  # type: ignore[untyped-decorator]
        async def noop(job: Any) -> None:
            begin(int(job.payload))

        await manager.run(batch_size=BATCH)

    threading.Thread(target=asyncio.run, args=(run(),), daemon=True).start()


if __name__ == "__main__":
    side.main(sender, work)
