"""procrastinate on PostgreSQL, one worker process that runs eight jobs at a time. PLACE: the address of a database."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import procrastinate  # type: ignore[import-not-found]  # a peer, not a dependency
from loadtests.contenders import side

NAME = "noop"


def sender(place: str) -> side.Send:
    """Make the tables; return a function that defers one job."""
    app = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=place))
    app.open()
    app.schema_manager.apply_schema()
    task: Any = app.task(name=NAME)(lambda number: None)

    def send(number: int) -> None:
        task.defer(number=number)

    return send


def work(place: str, begin: Callable[[int], None]) -> None:
    """Start the worker in a thread."""
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=place))

    @app.task(name=NAME)  # type: ignore[untyped-decorator]
    async def noop(number: int) -> None:
        begin(number)

    async def run() -> None:
        async with app.open_async():
            await app.run_worker_async(concurrency=side.THREADS, install_signal_handlers=False)

    threading.Thread(target=asyncio.run, args=(run(),), daemon=True).start()


if __name__ == "__main__":
    side.main(sender, work)
