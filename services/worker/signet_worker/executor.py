"""Runs jobs: one pool of threads for each queue, of as many threads as jobs of it may run at once.

The jobs come from the consumers of the broker and go back to them with how they ended. A run that is over its time
limit is asked to stop (`job.check()`), then its lease is ended from outside, so that the job is tried again and what
the old run still writes is refused. A thread that goes on even so is stuck, and its process is started again.
"""

import threading
import time

from dramatiq.broker import Consumer
from structlog.contextvars import bind_contextvars, clear_contextvars

from signet.observe.tracing import TRACES, Span, Value
from signet.queue.job_context import JobContext
from signet.queue.retry import End
from signet.queue.transitions import Lease
from signet_worker.dramatiq_adapter import JobMessage, JobsBroker
from signet_worker.lease_heartbeat import TIMED_OUT

#: How long a run over its time limit may take to notice; then how long until its thread counts as stuck.
GRACE_SECONDS = 5.0
STUCK_SECONDS = 30.0
#: How long a thread waits for a job at most: a stop ends its wait.
WAIT_MS = 60_000


class Executor:
    """The threads that run the jobs of this process."""

    def __init__(self, broker: JobsBroker) -> None:
        """Make the threads for the queues of the broker's dispatcher."""
        self._broker = broker
        self._dispatcher = broker.dispatcher
        self._is_stopping = False
        #: The job that each thread runs.
        self._running: dict[int, JobContext] = {}
        self._threads = [
            (queue, threading.Thread(target=self._work, args=(queue,), name=queue, daemon=True))
            for queue, count in self._dispatcher.concurrency.items()
            for _ in range(count)
        ]

    def __len__(self) -> int:
        """Return the number of threads."""
        return len(self._threads)

    def start(self) -> None:
        """Begin to run jobs."""
        for _, thread in self._threads:
            thread.start()

    def stop(self, timeout_seconds: float) -> None:
        """Start no further job, give back what was not begun, and wait for the rest, at most so long."""
        self._is_stopping = True
        until = time.monotonic() + timeout_seconds
        for queue in {queue for queue, _ in self._threads}:
            self._broker.consume(queue).close()
        for queue, _ in self._threads:
            self._dispatcher.end_wait(queue)
        for _, thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))

    def enforce_limits(self) -> None:
        """End the leases of runs that are over their time limit and have not stopped."""
        late = time.monotonic() - GRACE_SECONDS
        for job in list(self._running.values()):
            if job.ends_at < late and not (job.is_abandoned or job.is_finished):
                job.is_abandoned = job.lost = True
                self._broker.finisher.finish(job, TIMED_OUT)

    def is_lost(self) -> bool:
        """Return whether a thread has ended, or runs a job that does not stop: the process must start again."""
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
        except BaseException as error:  # SystemExit too ends the job, not its thread
            message.stuff_exception(error)
        del self._running[thread]
        outcome = TIMED_OUT if job.is_abandoned else message.outcome
        span.note({"signet.job.outcome": outcome.end})
        if outcome.end in (End.FAILED, End.PERMANENT):
            span.fail(outcome.code)
        span.end()
        if not job.is_abandoned:  # else its end is written
            consumer.ack(message)
        message.clear_exception()


def _bind(lease: Lease) -> None:
    """Let the lines of this thread's log say which job they are of."""
    clear_contextvars()
    bind_contextvars(job_id=lease.job_id)
    if lease.memory_id is not None:
        bind_contextvars(memory_id=lease.memory_id)


def _span(lease: Lease) -> Span:
    """Return the span of a run that begins now (names: https://opentelemetry.io/docs/specs/semconv/messaging/)."""
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
