"""The worker's work, from the database's opening to its close. The supervisor loads this module before it forks."""

import contextlib
import os
import threading
from collections.abc import Callable
from dataclasses import asdict

from signet.domain import memory_followers
from signet.domain.activity.events import Flusher
from signet.domain.secrets.vault import Vault
from signet.errors import SignetError
from signet.observe import logs
from signet.observe.tracing import TRACES
from signet.process import backoff
from signet.process.boot import Booted, open_database
from signet.process.coordination import join
from signet.process.memory import Thrift, resident_mb
from signet.process.program import SUPERVISOR_PID, Program
from signet.process.settings_reload import LiveSettings
from signet.queue import QUEUES
from signet.queue.wakeup import Listener
from signet_worker import processors
from signet_worker.context import Context
from signet_worker.declaration import declare
from signet_worker.dispatcher import Dispatcher
from signet_worker.dramatiq_adapter import JobsBroker
from signet_worker.executor import Executor

log = logs.get("pipeline")

#: Seconds for running jobs after a stop; the rest is released. Fits the five seconds of a daemon stop.
DRAIN_SECONDS = 3.0
#: Seconds for a process that lost a thread to end.
LOST_SECONDS = 15.0
NICENESS = 10
#: Idle checks before the model is unloaded: reloading takes a tenth of a second, with no caller waiting.
REST_LOOKS = 3
#: Seconds between checks of threads and new processes.
LOOK_SECONDS = 1.0


def serve(booted: Booted) -> int:
    """Open the database, run jobs until stopped, release unfinished ones."""
    db = open_database(booted.workspace, inline=False)  # starts the writer thread
    _step_back()
    memory_followers.register()
    workspace = booted.workspace
    TRACES.start(Program.WORKER, booted.loaded.settings.pipeline.telemetry.otlp_endpoint)
    coordination = join(db, workspace, "worker", queues=",".join(QUEUES))
    coordination.announce()
    listener = Listener(workspace.runtime_dir, coordination.owner)
    live = LiveSettings(workspace, booted.loaded, Vault(workspace.vault).find)
    dispatcher = Dispatcher(
        db,
        listener,
        owner=coordination.owner,
        concurrency=asdict(live.settings.pipeline.worker.threads),
        lease_ms=live.settings.pipeline.worker.lease_timeout_ms,
        clock=coordination.clock,
    )
    broker = JobsBroker(db, dispatcher)
    context = Context(db, live, workspace)
    live.then(context.settings_changed)
    context.settings_changed()
    declare(broker, context)
    executor = Executor(broker)
    live.start()
    flusher = Flusher(db, live)
    flusher.start()
    executor.start()
    dispatcher.start()
    thrift = Thrift(context.rest, looks=REST_LOOKS, restart=_restarter(booted, dispatcher))
    thrift.start()
    log.info("worker.ready", threads=len(executor), owner=coordination.owner)

    # The scheduler notices deaths at once; this is for while it is down itself.
    rescuer, news = coordination.rescuer(), db.news()
    lost = False
    while True:
        with contextlib.suppress(SignetError):  # busy or full: a later check retries
            if news.has_come():
                rescuer.poll()
        if booted.stop.wait(LOOK_SECONDS):
            break
        booted.pulse.beat(db.holding, needs_restart=db.needs_restart())
        executor.enforce_limits()
        broker.finisher.flush_log()
        if executor.is_lost() or not dispatcher.is_alive():
            log.error("worker.thread_lost")
            lost = True
            break

    if lost:  # a stuck job may hold a lock that one of the steps below needs
        _end_in(LOST_SECONDS)
    thrift.stop()
    dispatcher.stop_claiming()
    executor.stop(DRAIN_SECONDS)
    dispatcher.stop()
    given_back = dispatcher.heartbeat.release_all()
    broker.finisher.flush_log(everything=True)
    log.info("worker.stopped", given_back=given_back, threads=threading.active_count())
    flusher.stop()
    live.stop()
    coordination.withdraw()
    news.close()
    db.close()
    listener.close()
    coordination.close()
    TRACES.stop()
    return 1 if lost else 0


def _end_in(seconds: float) -> None:
    """End this process after a delay, whatever its threads wait for; its leases end with it."""
    timer = threading.Timer(seconds, os._exit, (1,))
    timer.daemon = True
    timer.start()


def _restarter(booted: Booted, dispatcher: Dispatcher) -> Callable[[], None] | None:
    """Return a function that exits this process if no job runs, so that its supervisor restarts it; None without a
    supervisor.
    """
    if SUPERVISOR_PID not in os.environ:
        return None

    def restart() -> None:
        if not dispatcher.is_idle():  # a job waits for an external answer
            return
        log.info("worker.restarts", resident_mb=round(resident_mb()))
        backoff.forget(booted.workspace.runtime_dir, [booted.program])  # not a crash
        booted.stop.set()

    return restart


def _step_back() -> None:
    """Lower the priority, as far as the system allows, of this thread and those it starts."""
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    processors.leave_first()
