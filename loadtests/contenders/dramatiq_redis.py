"""dramatiq on Redis with its usual middleware, one worker of eight threads. PLACE: a Redis address."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import dramatiq
import side
from dramatiq.brokers.redis import RedisBroker


def _actor(place: str, begin: Callable[[int], None]) -> tuple[Any, Any]:
    broker = RedisBroker(url=place)
    return broker, dramatiq.actor(begin, broker=broker, actor_name="noop")


def sender(place: str) -> side.Send:
    """Return what enqueues one message."""
    _, actor = _actor(place, lambda number: None)
    return lambda number: actor.send(number) and None


def work(place: str, begin: Callable[[int], None]) -> None:
    """Start the worker's threads."""
    broker, _ = _actor(place, begin)
    dramatiq.Worker(broker, worker_threads=side.THREADS).start()


if __name__ == "__main__":
    side.main(sender, work)
