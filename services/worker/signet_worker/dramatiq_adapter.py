"""`memory_jobs` as a dramatiq broker: actors are declared on it, messages become jobs, consumers return jobs.

The table owns all durable state: attempts, waits, leases, dead letter. So dramatiq's Retries, TimeLimit and delay
queues are not used, and the executor, with one thread pool per queue, replaces its Worker. A message for our own
kinds has its `JobContext` as only argument; one sent by `actor.send(...)` has the sent arguments.
"""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any

from dramatiq import Message
from dramatiq.broker import Broker, Consumer, MessageProxy
from dramatiq.common import current_millis
from dramatiq.errors import ActorNotFound, QueueNotFound, Retry

from signet import clock
from signet.db import Database
from signet.queue import admin, retry, transitions
from signet.queue.enqueue import BULK, MAX_ATTEMPTS, NORMAL, NOW, NewJob, enqueue
from signet.queue.job_context import JobContext
from signet.queue.kinds import DEFAULT_QUEUE, UNKNOWN_KIND
from signet.queue.retry import End, RunOutcome
from signet_worker.dispatcher import Dispatcher
from signet_worker.finisher import Finisher

_COMPLETED = RunOutcome(end=End.COMPLETED)


class JobMessage(MessageProxy):
    """A claimed job as dramatiq sees it."""

    def __init__(self, job: JobContext, throws: Any = ()) -> None:
        """`throws` are errors that bury the job at once; raises TypeError or ValueError for an invalid payload."""
        lease = job.lease
        sent = "args" in lease.payload or "kwargs" in lease.payload
        message = Message[Any](
            queue_name=lease.queue,
            actor_name=lease.kind,
            args=tuple(lease.payload.get("args", ())) if sent else (job,),
            kwargs=dict(lease.payload.get("kwargs", {})) if sent else {},
            options=dict(lease.payload.get("options", {})) if sent else {},
            message_id=lease.job_id,
            message_timestamp=lease.due_ms,
        )
        super().__init__(message)
        self.job = job
        self.throws = throws if isinstance(throws, tuple) else (throws,)
        self.error: BaseException | None = None
        self.outcome = _COMPLETED

    def stuff_exception(self, exception: BaseException) -> None:
        """Store the error that ended the run, and the job's outcome."""
        super().stuff_exception(exception)
        self.error, self.outcome = exception, _outcome(exception, self.throws)

    def clear_exception(self) -> None:
        """Drop the error, whose traceback references this message."""
        super().clear_exception()
        self.error = None


class JobsBroker(Broker):
    def __init__(self, db: Database, dispatcher: Dispatcher) -> None:
        self.db = db
        self.dispatcher = dispatcher
        self.finisher = Finisher(db, dispatcher)
        super().__init__(middleware=[])
        self.actor_options |= {"max_retries", "throws"}

    def declare_queue(self, queue_name: str) -> None:
        """Register a queue; there are no delay queues, because `due_ms` is a column."""
        if queue_name not in self.queues:
            self.emit_before("declare_queue", queue_name)
            self.queues[queue_name] = True
            self.emit_after("declare_queue", queue_name)

    def enqueue(self, message: Message[Any], *, delay: int | None = None) -> Message[Any]:
        """Insert the message as a job, durable on return; `delay` in milliseconds.

        An actor's `priority` below 0 runs first, one above 0 last (dramatiq: lower is sooner, 0 is usual).
        """
        self.emit_before("enqueue", message, delay)
        payload: dict[str, object] = {"args": list(message.args), "kwargs": dict(message.kwargs)}
        if message.options:
            payload["options"] = message.options
        actor = self.actors.get(message.actor_name)
        retries = None if actor is None else actor.options.get("max_retries")
        priority = 0 if actor is None else actor.priority
        job = NewJob(
            kind=message.actor_name,
            priority=NOW if priority < 0 else BULK if priority > 0 else NORMAL,
            queue=message.queue_name,
            job_id=message.message_id,
            payload=payload,
            delay_ms=delay or 0,
        )
        attempts = MAX_ATTEMPTS if retries is None else int(retries) + 1
        self.db.write(enqueue, job, now=clock.now(), max_attempts=attempts)
        self.emit_after("enqueue", message, delay)
        return message

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 30_000) -> Consumer:
        """Return a consumer of claimed jobs; `timeout` in ms. Raises QueueNotFound."""
        if queue_name not in self.queues:
            raise QueueNotFound(queue_name)  # type: ignore[no-untyped-call]  # ships no types here
        return JobsConsumer(self, queue_name, timeout / 1000)

    def flush(self, queue_name: str) -> None:
        """Bury every waiting job of a queue with code `flushed`."""
        self.db.write(transitions.flush, queue_name, now=clock.now())

    def flush_all(self) -> None:
        """Bury every waiting job of every declared queue."""
        for queue_name in self.queues:
            self.flush(queue_name)

    def join(self, queue_name: str, *, timeout: int | None = None) -> None:
        """Wait until a queue has no open job; `timeout` in ms. Raises TimeoutError."""
        until = None if timeout is None else current_millis() + timeout
        while self.db.read(admin.has_open, queue_name):
            if until is not None and current_millis() > until:
                raise TimeoutError(f"queue {queue_name} has open jobs")
            time.sleep(0.01)


class JobsConsumer(Consumer):
    """Returns the claimed jobs of one queue, and receives their outcomes."""

    def __init__(self, broker: JobsBroker, queue: str, timeout_seconds: float) -> None:
        self._broker = broker
        self._fetch = partial(broker.dispatcher.fetch, queue)
        self._timeout = timeout_seconds

    def __next__(self) -> JobMessage | None:
        """Return the next job, None after the timeout; its time limit starts."""
        job = self._fetch(self._timeout)
        if job is None:
            return None
        job.start()
        actor = self._broker.actors.get(job.lease.kind)
        try:
            return JobMessage(job, (actor and actor.options.get("throws")) or ())
        except (TypeError, ValueError) as error:  # a payload that no actor accepts
            self._broker.finisher.finish(
                job, RunOutcome(end=End.PERMANENT, code="undecodable", error=str(error))
            )
            return None

    def ack(self, message: MessageProxy) -> None:
        """Record the end of a run; never raises."""
        assert isinstance(message, JobMessage)
        self._broker.finisher.finish(message.job, message.outcome, error=message.error)

    nack = ack

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        """Release jobs that were not started: they are pending and due again, and no attempt is counted."""
        for message in messages:
            assert isinstance(message, JobMessage)
            self._broker.finisher.release(message.job)

    def close(self) -> None:
        """Release claimed jobs that were never fetched."""
        while (job := self._fetch(0)) is not None:
            self._broker.finisher.release(job)


def _outcome(error: BaseException, throws: tuple[type[BaseException], ...]) -> RunOutcome:
    text = f"{type(error).__name__}: {error}"
    match error:
        case ActorNotFound():
            # A newer version queued it; it waits for that version (queue/placement.py).
            return RunOutcome(end=End.POSTPONED, code=UNKNOWN_KIND, error=text, queue=DEFAULT_QUEUE)
        case Retry():
            return RunOutcome(end=End.FAILED, code="retry", error=text, wait_ms=error.delay)
        case _:
            return retry.outcome_of(error, permanent=throws)
