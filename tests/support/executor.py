"""A worker's threads in the process of a test, for the jobs of one queue."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signet.db import Database
from signet.queue.wakeup import Listener, Notifier
from signet_worker.dispatcher import Dispatcher
from signet_worker.dramatiq_adapter import JobsBroker
from signet_worker.executor import Executor


@contextmanager
def a_dispatcher(db: Database, lease_ms: int, concurrency: int) -> Iterator[JobsBroker]:
    """Claim jobs of the queue `q` for this process."""
    with tempfile.TemporaryDirectory(prefix="signet-") as folder:
        notifier = Notifier(Path(folder))
        db.writer.listen(lambda signals: notifier.notify())
        listener = Listener(Path(folder), "me")
        dispatcher = Dispatcher(
            db, listener, owner="me", concurrency={"q": concurrency}, lease_ms=lease_ms
        )
        broker = JobsBroker(db, dispatcher)
        broker.declare_queue("q")
        dispatcher.start()
        yield broker
        dispatcher.stop()
        listener.close()
        notifier.close()


@contextmanager
def a_worker(
    db: Database, lease_ms: int = 60_000, concurrency: int = 4
) -> Iterator[tuple[JobsBroker, Executor]]:
    """Run a worker in this process; its leases are extended three times in `lease_ms`."""
    with a_dispatcher(db, lease_ms, concurrency) as broker:
        executor = Executor(broker)
        executor.start()
        yield broker, executor
        executor.stop(2.0)
