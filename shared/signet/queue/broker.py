"""`memory_jobs` as a dramatiq broker.

dramatiq brings the actors and the worker threads; the table owns everything durable: attempts, waits, leases,
dead letter. So its Retries, TimeLimit and delay queues are left out: `Outcome` (below) turns the end of a run into
one update of the row. A message that one of our own kinds gets carries its `JobContext` as only argument; a message
that was sent by `actor.send(...)` carries the arguments that were sent.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any, ClassVar

from dramatiq import Actor, Message
from dramatiq.broker import Broker, Consumer, MessageProxy
from dramatiq.common import current_millis
from dramatiq.errors import QueueNotFound
from dramatiq.middleware import Middleware, SkipMessage
from structlog.contextvars import bind_contextvars, clear_contextvars

from signet import clock
from signet.db import Database, ReadTx
from signet.observe import latency, logs, metrics, record, taxonomy
from signet.observe.latency import Operation
from signet.observe.record import Count
from signet.observe.taxonomy import Stage
from signet.observe.tracing import NOTHING, TRACES, Span, Value
from signet.queue import finish, outcome
from signet.queue.deadline import Deadlines
from signet.queue.dispatcher import Dispatcher
from signet.queue.enqueue import Job, enqueue
from signet.queue.finish import End
from signet.queue.job_context import JobContext
from signet.queue.job_log import JobLogger
from signet.queue.lease import Lease
from signet.queue.settle import buries, settle

log = logs.get("pipeline")

_JOIN = "SELECT COUNT(*) FROM memory_jobs WHERE queue = ? AND status IN ('pending', 'leased')"
_FLUSH = """
UPDATE memory_jobs SET status = 'dead', failed_at = ?, updated_at = ?, error = 'flushed',
       last_error_code = 'flushed' WHERE queue = ? AND status = 'pending'"""


class RunMessage(MessageProxy):
    """A leased job as dramatiq sees it."""

    def __init__(self, run: JobContext) -> None:
        lease = run.lease
        sent = "args" in lease.payload or "kwargs" in lease.payload
        message = Message[Any](
            queue_name=lease.queue,
            actor_name=lease.kind,
            args=tuple(lease.payload.get("args", ())) if sent else (run,),
            kwargs=dict(lease.payload.get("kwargs", {})) if sent else {},
            options=dict(lease.payload.get("options", {})) if sent else {},
            message_id=lease.job_id,
            message_timestamp=lease.due_ms,
        )
        super().__init__(message)
        # dramatiq asks for these a dozen times a message; the proxy's way to them is a twentieth of a quick job.
        self.queue_name, self.actor_name = message.queue_name, message.actor_name
        self.message_id, self.options = message.message_id, message.options
        self.run = run
        self.started = 0.0
        self.is_parked = False
        self.span = NOTHING


class Outcome(Middleware):
    """Notes how each run ended; the broker's ack then writes that down."""

    actor_options: ClassVar[set[str]] = {"max_retries", "throws"}

    def __init__(self) -> None:
        self.current = threading.local()

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        """Take a slot of the queue for the run that this thread is about to do; no slot, no run."""
        assert isinstance(message, RunMessage)
        assert isinstance(broker, JobsBroker) and broker.dispatcher is not None
        if not broker.dispatcher.take_slot(message.run):
            message.is_parked = True
            raise SkipMessage
        message.started = time.monotonic()
        self.current.run = message.run
        _bind(message.run.lease)
        message.span = _span(message.run.lease)

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """Turn the error, if any, into what becomes of the job."""
        assert isinstance(message, RunMessage)
        actor = broker.actors.get(message.actor_name)
        assert isinstance(broker, JobsBroker)
        broker.deadlines.forget()
        throws: Any = message.options.get("throws") or (actor and actor.options.get("throws")) or ()
        permanent = throws if isinstance(throws, tuple) else (throws,)
        ended = message.run.outcome = outcome.of(exception, permanent=permanent)
        message.span.note({"signet.job.outcome": ended.end})
        if ended.end in (End.FAILED, End.PERMANENT):
            message.span.fail(ended.code)
        message.span.end()


class JobsBroker(Broker):
    """The broker of one worker process; without a dispatcher it can only enqueue."""

    def __init__(self, db: Database, dispatcher: Dispatcher | None = None) -> None:
        self.db = db
        self.dispatcher = dispatcher
        self.deadlines = Deadlines()
        self._outcome = Outcome()
        self._teller = JobLogger()
        # dramatiq logs every error of a job with its traceback; job_log.py says once how each run ended.
        logging.getLogger("dramatiq.worker.WorkerThread").setLevel(logging.CRITICAL)
        super().__init__(middleware=[self._outcome])

    def declare_actor(self, actor: Actor[Any, Any]) -> None:
        """Declare an actor; its function then runs under the time limit of its kind."""
        actor.fn = self._limited(actor.fn)
        super().declare_actor(actor)

    def _limited(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def limited(*args: Any, **kwargs: Any) -> Any:
            run: JobContext | None = getattr(self._outcome.current, "run", None)
            if run is None:  # called directly, not by a worker
                return function(*args, **kwargs)
            watch = self.deadlines.enter(run)
            try:
                return function(*args, **kwargs)
            finally:
                self.deadlines.leave(watch)

        return limited

    def declare_queue(self, queue_name: str) -> None:
        """Remember a queue; workers then consume it. There are no delay queues: `due_ms` is a column."""
        if queue_name not in self.queues:
            self.emit_before("declare_queue", queue_name)
            self.queues[queue_name] = True
            self.emit_after("declare_queue", queue_name)

    def enqueue(self, message: Message[Any], *, delay: int | None = None) -> Message[Any]:
        """Insert the message as a job, durable when this returns; `delay` in milliseconds."""
        self.emit_before("enqueue", message, delay)
        payload: dict[str, object] = {"args": list(message.args), "kwargs": dict(message.kwargs)}
        if message.options:
            payload["options"] = message.options
        actor = self.actors.get(message.actor_name)
        retries = None if actor is None else actor.options.get("max_retries")
        job = Job(
            kind=message.actor_name,
            queue=message.queue_name,
            job_id=message.message_id,
            payload=payload,
            delay_ms=delay or 0,
        )
        attempts = 3 if retries is None else int(retries) + 1
        self.db.write(enqueue, job, now=clock.now(), max_attempts=attempts)
        self.emit_after("enqueue", message, delay)
        return message

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 30_000) -> "JobsConsumer":
        """Return a consumer that takes what the dispatcher has claimed; raises QueueNotFound."""
        if queue_name not in self.queues:
            raise QueueNotFound(queue_name)  # type: ignore[no-untyped-call]  # ships no types here
        if self.dispatcher is None:
            raise RuntimeError("this broker was made without a dispatcher and can only enqueue")
        return JobsConsumer(self.db, self.dispatcher, self._teller, queue_name, timeout / 1000)

    def flush(self, queue_name: str) -> None:
        """Bury every waiting job of a queue with code `flushed`."""
        text = clock.to_text(clock.now())
        self.db.write(lambda tx: tx.run(_FLUSH, (text, text, queue_name)))

    def flush_all(self) -> None:
        """Bury every waiting job of every declared queue."""
        for queue_name in self.queues:
            self.flush(queue_name)

    def join(self, queue_name: str, *, timeout: int | None = None) -> None:
        """Wait until a queue has no open job; `timeout` in ms. Raises TimeoutError."""
        until = None if timeout is None else current_millis() + timeout
        while self.db.read(ReadTx.value, _JOIN, (queue_name,)):
            if until is not None and current_millis() > until:
                raise TimeoutError(f"queue {queue_name} has open jobs")
            time.sleep(0.01)


class JobsConsumer(Consumer):
    """Hands claimed jobs of one queue to dramatiq's threads and writes their ends down."""

    def __init__(
        self,
        db: Database,
        dispatcher: Dispatcher,
        teller: JobLogger,
        queue: str,
        timeout_seconds: float,
    ) -> None:
        self._db = db
        self._dispatcher = dispatcher
        self._teller = teller
        self._queue = queue
        self._timeout = timeout_seconds

    def __next__(self) -> RunMessage | None:
        """Return the next message, None when none came in time."""
        self._teller.flush()
        run = self._dispatcher.fetch(self._queue, self._timeout)
        if run is None:
            return None
        try:
            return RunMessage(run)
        except (TypeError, ValueError) as error:  # a payload that nobody can be called with
            refused = finish.Outcome(end=End.PERMANENT, code="undecodable", error=str(error))
            run.free()
            self._settle(run, refused)
            return None

    def ack(self, message: MessageProxy) -> None:
        """Write the end of a run down; never raises, because dramatiq would lose the message.

        What does not bury the job is handed over and not waited for: its thread goes on, and the ends of that
        moment share one commit. Should one be lost, the lease ends and the job runs again. A refusal by the
        provider says nothing of how quick jobs are, and its slot is free only once the breaker is seen open.
        """
        assert isinstance(message, RunMessage)
        if message.is_parked:
            return
        run = message.run
        ended = run.outcome or outcome.of(message._exception)
        took = time.monotonic() - message.started if message.started else 0.0
        if not (ended.is_provider_down or ended.is_provider_failure):
            if message.started:
                self._dispatcher.ran(run, took)
            run.free()
        if run.settled or ended.end is End.FENCED:
            self._dispatcher.held.drop(run)
        else:
            self._settle(run, ended)
        self._teller.tell(run, ended, message._exception, took)
        _note(run, ended, message._exception, took)

    nack = ack

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        """Give unrun messages back: pending, due now, the attempt not counted."""
        for message in messages:
            assert isinstance(message, RunMessage)
            self._give_back(message.run)

    def close(self) -> None:
        """Give back what was claimed and never fetched; tell what was counted."""
        self._teller.flush(everything=True)
        while (run := self._dispatcher.fetch(self._queue, 0)) is not None:
            self._give_back(run)

    def _give_back(self, run: JobContext) -> None:
        run.free()
        self._settle(run, finish.Outcome(end=End.RELEASED))

    def _settle(self, run: JobContext, ended: finish.Outcome) -> None:
        """Write an end down; only what buries a job is waited for, until it is on disk."""
        write = partial(settle, run=run, ended=ended)
        try:
            if buries(run, ended):
                self._ended(run, self._db.write(write))
            else:
                self._db.writer.later(write, partial(self._written, run, ended))
        except Exception as error:
            self._unsettled(run, ended, error)

    def _written(
        self, run: JobContext, ended: finish.Outcome, settled: bool, error: BaseException | None
    ) -> None:
        if error is None:
            self._ended(run, settled)
        else:
            self._unsettled(run, ended, error)

    def _ended(self, run: JobContext, settled: bool) -> None:
        run.settled = True
        self._dispatcher.held.drop(run)
        run.free()
        if not settled:
            metrics.FENCED.inc()
            log.info("job.fenced", job_id=run.lease.job_id, kind=run.lease.kind)

    def _unsettled(self, run: JobContext, ended: finish.Outcome, error: BaseException) -> None:
        """Keep the lease and write the end again at the next beat: the database was busy or full."""
        log.warning("job.unsettled", job_id=run.lease.job_id, error=type(error).__name__)
        run.again = partial(self._settle, run, ended)


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


def _note(run: JobContext, ended: finish.Outcome, error: BaseException | None, took: float) -> None:
    """Count and time an end, and note what failed by its code in the taxonomy."""
    kind = run.lease.kind
    metrics.labelled(metrics.JOB_OUTCOMES, kind, ended.end).inc()
    metrics.labelled(metrics.JOB_SECONDS, kind).observe(took)
    if ended.end in (End.COMPLETED, End.FAILED, End.PERMANENT):
        latency.observe(Operation.JOBS, took)
    if ended.end in (End.FAILED, End.PERMANENT):
        code = taxonomy.of_job(kind, ended.code, error)
        if code is not None:
            if code.stage is Stage.CONNECTOR:
                record.count(Count.SYNC_ERRORS, str(run.lease.payload.get("connectorId")))
            record.error(
                code, ended.error, memory_id=run.lease.memory_id, duration_ms=round(took * 1000, 1)
            )
