"""Signet's queue: a durable enqueue from one process, a worker of eight threads in another. PLACE: a workspace."""

import os
from collections.abc import Callable
from pathlib import Path

from loadtests.contenders import side

from signet import clock, config
from signet.db import Database
from signet.observe import logfile, logs
from signet.paths import Workspace
from signet.process import coordination
from signet.process.program import Program
from signet.queue import NewJob, enqueue
from signet.queue.wakeup import Listener

KIND, QUEUE = "noop", "light"


def sender(place: str) -> side.Send:
    """Return a function that enqueues one job and waits for its durable commit."""
    workspace = Workspace(Path(place))
    db = _open(workspace)
    coordination.join(db, workspace, "api").announce()

    def send(number: int) -> None:
        job = NewJob(kind=KIND, queue=QUEUE, payload={"number": number})
        db.write(enqueue, job, now=clock.now())

    return send


def work(place: str, begin: Callable[[int], None]) -> None:
    """Start the worker's threads."""
    import dramatiq

    from signet.queue.job_context import JobContext
    from signet_worker.dispatcher import Dispatcher
    from signet_worker.dramatiq_adapter import JobsBroker
    from signet_worker.executor import Executor

    workspace = Workspace(Path(place))
    db = _open(workspace)
    joined = coordination.join(db, workspace, "worker", queues=QUEUE)
    joined.announce()
    listener = Listener(workspace.runtime_dir, joined.owner)
    concurrency = {QUEUE: side.THREADS}
    dispatcher = Dispatcher(
        db,
        listener,
        owner=joined.owner,
        concurrency=concurrency,
        lease_ms=300_000,
        clock=joined.clock,
    )
    broker = JobsBroker(db, dispatcher)

    one_in = int(os.environ.get("SIGNET_LOADTEST_POISON", "0"))

    def noop(run: JobContext) -> None:
        number = run.lease.payload["number"]
        if one_in and number % one_in == 0:
            raise RuntimeError("poisoned")
        begin(number)

    dramatiq.actor(broker=broker, queue_name=QUEUE, actor_name=KIND)(noop)
    Executor(broker).start()
    dispatcher.start()


def _open(workspace: Workspace) -> Database:
    # As in the product: one log line per job to a file.
    place = logfile.place(workspace.log_dir, os.environ)
    logs.configure(Program.WORKER, place, level=logs.level_of(None), echo=False)
    config.load(workspace, os.environ)  # where the rows are
    return Database(workspace.database)


if __name__ == "__main__":
    side.main(sender, work)
