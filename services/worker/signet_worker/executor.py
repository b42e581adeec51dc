"""Run jobs: one thread pool per queue, with the queue's concurrency.

Jobs come from the broker's consumers and return to them with their outcome. A run over its time limit is asked to
stop (`job.check()`), then its lease is ended from outside, so that the job is retried and the old run's writes are
refused. A thread that still continues is stuck, and its process restarts.
"""

import threading
import time

from dramatiq.broker import Consumer
from structlog.contextvars import bind_contextvars, clear_contextvars

from signet.observe.tracing import TRACES, TraceSpan, Value
from signet.queue.job_context import JobContext
from signet.queue.retry import End
from signet.queue.transitions import Lease
from signet_worker.dramatiq_adapter import JobMessage, JobsBroker
from signet_worker.lease_heartbeat import TIMED_OUT

#: Seconds for a run over its time limit to notice; then until its thread counts as stuck.
GRACE_SECONDS = 5.0
STUCK_SECONDS = 30.0
#: Maximum wait of a thread for a job; a stop ends it.
WAIT_MS = 60_000


class Executor:
    """The threads that run the jobs of this process."""

    def __init__(self, broker: JobsBroker) -> None:
        """Create the threads for the queues of the broker's dispatcher."""
        self._broker = broker
        self._dispatcher = broker.dispatcher
        self._is_stopping = False
        #: The job of each thread.
        self._running: dict[int, JobContext] = {}
        self._threads = [
            (queue, threading.Thread(target=self._work, args=(queue,), name=queue, daemon=True))
            for queue, count in self._dispatcher.concurrency.items()
            for _ in range(count)
        ]

    def __len__(self) -> int:
        return len(self._threads)

    def start(self) -> None:
        for _, thread in self._threads:
            thread.start()

    def stop(self, timeout_seconds: float) -> None:
        """Start no more jobs, release unstarted ones, and wait up to `timeout_seconds` for the rest."""
        self._is_stopping = True
        until = time.monotonic() + timeout_seconds
        for queue in {queue for queue, _ in self._threads}:
            self._broker.consume(queue).close()
        for queue, _ in self._threads:
            self._dispatcher.end_wait(queue)
        for _, thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))

    def enforce_limits(self) -> None:
        """End the leases of runs over their time limit that have not stopped."""
        late = time.monotonic() - GRACE_SECONDS
        for job in list(self._running.values()):
            if job.ends_at < late and not (job.is_abandoned or job.is_finished):
                job.is_abandoned = job.lost = True
                self._broker.finisher.finish(job, TIMED_OUT)

    def is_lost(self) -> bool:
        """Return whether a thread has ended, or runs a job that does not stop: the process must restart."""
        late = time.monotonic() - GRACE_SECONDS - STUCK_SECONDS
        is_stuck = any(job.ends_at < late for job in list(self._running.values()))
        return is_stuck or any(not thread.is_alive() for _, thread in self._threads)

    def _work(self, queue: str) -> None:
        consumer = self._broker.consume(queue, timeout=WAIT_MS)
        while not self._is_stopping:
            message = next(consumer)
            if message is not None:
                assert isinstance(message, JobMessage)
                self._run(message, consumer)

    def _run(self, message: JobMessage, consumer: Consumer) -> None:
        job, thread = message.job, threading.get_ident()
        self._running[thread] = job
        _bind(job.lease)
        span = _span(job.lease)
        try:
            self._broker.get_actor(message.actor_name)(*message.args, **message.kwargs)
        except BaseException as error:  # SystemExit too ends only the job
            message.stuff_exception(error)
        del self._running[thread]
        outcome = TIMED_OUT if job.is_abandoned else message.outcome
        span.note({"signet.job.outcome": outcome.end})
        if outcome.end in (End.FAILED, End.PERMANENT):
            span.fail(outcome.code)
        span.end()
        if not job.is_abandoned:  # otherwise its end is written
            consumer.ack(message)
        message.clear_exception()


def _bind(lease: Lease) -> None:
    """Add the job to this thread's log lines."""
    clear_contextvars()
    bind_contextvars(job_id=lease.job_id)
    if lease.memory_id is not None:
        bind_contextvars(memory_id=lease.memory_id)


def _span(lease: Lease) -> TraceSpan:
    """Return the span of a starting run (names: https://opentelemetry.io/docs/specs/semconv/messaging/)."""
    facts: dict[str, Value | None] = {
        "messaging.system": "signet",
        "messaging.operation.type": "process",
        "messaging.destination.name": lease.queue,
        "messaging.message.id": lease.job_id,
        "signet.job.kind": lease.kind,
        "signet.job.attempt": lease.attempts,
        "signet.memory.id": lease.memory_id,
    }
    return TRACES.job(lease.kind, lease.payload, facts)
