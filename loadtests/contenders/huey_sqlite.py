"""Huey on SQLite, synced to disk (`fsync=True`), its consumer with eight threads. PLACE: a folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import huey  # type: ignore[import-not-found]  # a peer, not a dependency
from loadtests.contenders import side


def _queue(place: str, begin: Callable[[int], None]) -> tuple[Any, Any]:
    queue = huey.SqliteHuey(filename=str(Path(place) / "huey.db"), fsync=True, results=False)

    def noop(number: int) -> None:
        begin(number)

    return queue, queue.task()(noop)


def sender(place: str) -> side.Send:
    """Return a function that enqueues one task."""
    _, task = _queue(place, lambda number: None)

    def send(number: int) -> None:
        task(number)

    return send


def work(place: str, begin: Callable[[int], None]) -> None:
    """Start the consumer's threads."""
    queue, _ = _queue(place, begin)
    queue.create_consumer(
        workers=side.THREADS, worker_type="thread", periodic=False, check_worker_health=False
    ).start()


if __name__ == "__main__":
    side.main(sender, work)
