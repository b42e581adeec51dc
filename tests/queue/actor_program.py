"""A worker process for tests, with an actor that leaves a trace and a point at which it kills itself.

    actor_program.py DATABASE RUNTIME_DIR KIND [CRASH_POINT]

Kinds: `effect` writes one row in `runtime_settings` for its job, in the commit that completes it; `separate` writes
it in a commit of its own; `gated` waits for a file (the crash point names it) before its effect; `sleep` says that
it runs and then waits for ever; `poison` dies. At the crash point `stop` the process only tells itself to stop,
in the middle of its work.
"""

import itertools
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from signet import clock, engine
from signet.db import Database, WriteTx
from signet.process.liveness import Presence
from signet.queue import transitions
from signet.queue.job_context import JobContext
from signet.queue.retry import LeaseLost
from signet.queue.wakeup import Listener, Notifier
from signet_worker.dispatcher import Dispatcher
from signet_worker.dramatiq_adapter import JobsBroker
from signet_worker.executor import Executor

#: The run at which the crash point `stop` is.
STOP_AT = 50
_runs = itertools.count(1)


def die() -> None:
    """End this process as the kernel would."""
    os.kill(os.getpid(), signal.SIGKILL)


def leave_trace(tx: WriteTx, job_id: str) -> None:
    """Write the effect of a job; a second one for the same job would be seen."""
    tx.run(
        "INSERT INTO runtime_settings (key, value) VALUES (?, '1')"
        " ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        (job_id,),
    )


def work(run: JobContext, kind: str, crash: str) -> None:
    """Do what the kind says."""
    job_id = run.lease.job_id
    if crash == "stop" and next(_runs) == STOP_AT:
        os.kill(os.getpid(), signal.SIGTERM)
    if kind == "poison":
        die()
    if kind == "sleep":
        print("running", flush=True)
        threading.Event().wait()
    if kind == "gated":
        print("running", flush=True)
        while not Path(crash).exists():
            threading.Event().wait(0.01)
    if crash == "in_actor":
        die()
    if kind == "separate":
        run.db.write(leave_trace, job_id)
        if crash == "between":
            die()
        run.commit(lambda tx: None)
        return

    def effects(tx: WriteTx) -> None:
        leave_trace(tx, job_id)
        if crash == "before_commit":
            die()

    try:
        run.commit(effects)
    except LeaseLost:
        print("lost", flush=True)
        raise
    if crash == "after_commit":
        die()


def plant(crash: str) -> None:
    """Make a step of the queue kill this process."""
    if crash == "after_claim":
        after_commit = Dispatcher.after_commit

        def die_after_claim(dispatcher: Dispatcher, committed: bool) -> None:
            if dispatcher._claimed and committed:
                die()
            after_commit(dispatcher, committed)

        Dispatcher.after_commit = die_after_claim  # type: ignore[method-assign,assignment]  # the point
    if crash == "in_claim":
        claim = transitions.claim

        def die_in_claim(*args: Any, **kwargs: Any) -> list[transitions.Lease]:
            leases = claim(*args, **kwargs)
            if leases:
                die()
            return leases

        transitions.claim = die_in_claim
    if crash == "in_heartbeat":
        transitions.extend = lambda *args, **kwargs: die()  # type: ignore[assignment]  # the point
    if crash == "in_complete":
        complete = transitions.complete

        def die_in_complete(*args: Any, **kwargs: Any) -> bool:
            complete(*args, **kwargs)
            die()
            return False

        transitions.complete = die_in_complete


def main() -> None:
    """Run a worker until killed or told to stop by the end of stdin."""
    database, runtime, kind, *rest = sys.argv[1:]
    crash = rest[0] if rest else ""
    import dramatiq

    engine.use(Path(database), os.environ.get("SIGNET_STORAGE_URL"))
    db = Database(Path(database))
    presence = Presence(Path(runtime), "worker")
    db.write(presence.announce, now=clock.now())
    notifier = Notifier(Path(runtime))
    db.writer.listen(lambda signals: notifier.notify())
    listener = Listener(Path(runtime), presence.owner)
    plant(crash)
    lease_ms = 300 if crash == "in_heartbeat" else 60_000
    dispatcher = Dispatcher(
        db, listener, owner=presence.owner, concurrency={"light": 4}, lease_ms=lease_ms
    )
    broker = JobsBroker(db, dispatcher)
    declared = dramatiq.actor(actor_name="work", queue_name="light", broker=broker)

    def act(run: JobContext) -> None:
        work(run, kind, crash)

    declared(act)
    executor = Executor(broker)
    executor.start()
    dispatcher.start()
    print(f"ready {presence.owner}", flush=True)
    signal.sigwait({signal.SIGTERM})
    dispatcher.stop_claiming()
    executor.stop(2.0)
    dispatcher.stop()
    dispatcher.heartbeat.release_all()
    db.close()
    print("stopped", flush=True)
    os._exit(0)


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    main()
