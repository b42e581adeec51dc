"""dramatiq on Redis with its usual middleware, one worker of eight threads. PLACE: a Redis address."""

from collections.abc import Callable
from typing import Any

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from loadtests.contenders import side


def _actor(place: str, begin: Callable[[int], None]) -> tuple[Any, Any]:
    broker = RedisBroker(url=place)  # type: ignore[no-untyped-call]  # ships no types here
    return broker, dramatiq.actor(broker=broker, actor_name="noop")(begin)


def sender(place: str) -> side.Send:
    """Return a function that enqueues one message."""
    _, actor = _actor(place, lambda number: None)

    def send(number: int) -> None:
        actor.send(number)

    return send


def work(place: str, begin: Callable[[int], None]) -> None:
    """Start the worker's threads."""
    broker, _ = _actor(place, begin)
    dramatiq.Worker(broker, worker_threads=side.THREADS).start()


if __name__ == "__main__":
    side.main(sender, work)
