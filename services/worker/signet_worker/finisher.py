"""Record, count and log the ends of runs."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from signet.db import Database
from signet.errors import SignetError
from signet.observe import latency, logs, metrics, record, taxonomy
from signet.observe.latency import TimedOperation
from signet.observe.record import Count
from signet.observe.taxonomy import ErrorStage
from signet.queue.job_context import JobContext
from signet.queue.retry import End, RunOutcome
from signet_worker.dispatcher import Dispatcher

log = logs.get("pipeline")

#: Seconds of counting equal ends before their number is logged.
COUNT_SECONDS = 10.0


@dataclass(slots=True)
class _Repeats:
    """Ends of one sort since the first one's line."""

    until: float
    count: int = 0


class JobLogger:
    """Logs the ends of runs, so that a thousand equal failures are two lines and none is missed; thread-safe.

    Burying a job always gets a line. An end that is retried gets one the first time; more of the same kind and code
    are counted for a while and logged in one line `job.repeated`. (A line costs as much as a short job.) Each row
    keeps its own errors, and the metrics count every run.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._repeats: dict[tuple[str, End, str], _Repeats] = {}
        #: When the first of them must be logged; until then passing jobs check nothing more.
        self._until = math.inf
        self._lock = threading.Lock()

    def log_end(
        self, job: JobContext, outcome: RunOutcome, error: BaseException | None, took: float
    ) -> None:
        """Log or count the end of a run; an unexpected error that buries the job is logged with its traceback."""
        kind = job.lease.kind
        if outcome.end is End.COMPLETED:
            log.debug(
                "job.completed", job_id=job.lease.job_id, kind=kind, took_ms=round(took * 1000)
            )
            return
        is_last = job.is_buried_by(outcome)
        if not is_last and self._is_repeated((kind, outcome.end, outcome.code)):
            return
        with_trace = is_last and error is not None and not isinstance(error, SignetError)
        usual = outcome.end in (End.POSTPONED, End.RELEASED)
        (log.info if usual else log.warning)(
            f"job.{outcome.end}",
            job_id=job.lease.job_id,
            kind=kind,
            attempt=job.lease.attempts,
            took_ms=round(took * 1000),
            **({"code": outcome.code} if outcome.code else {}),
            **({"exc_info": error} if with_trace else {}),
        )

    def flush(self, *, everything: bool = False) -> None:
        """Log what was counted long enough, or everything."""
        now = self._monotonic()
        if now < self._until and not everything:
            return
        with self._lock:
            over = [
                sort for sort, found in self._repeats.items() if everything or found.until <= now
            ]
            counted = [(sort, self._repeats.pop(sort).count) for sort in over]
            self._until = min((left.until for left in self._repeats.values()), default=math.inf)
        for (kind, end, code), count in counted:
            if count:
                log.warning("job.repeated", kind=kind, end=end, code=code, count=count)

    def _is_repeated(self, sort: tuple[str, End, str]) -> bool:
        """Count this end if an equal one was logged; otherwise start counting."""
        with self._lock:
            found = self._repeats.get(sort)
            if found is None:
                until = self._monotonic() + COUNT_SECONDS
                self._repeats[sort] = _Repeats(until)
                self._until = min(self._until, until)
                return False
            found.count += 1
            return True


class Finisher:
    """Ends the jobs of this process; thread-safe."""

    def __init__(self, db: Database, dispatcher: Dispatcher) -> None:
        self._db = db
        self._dispatcher = dispatcher
        self._logger = JobLogger()

    def finish(
        self, job: JobContext, outcome: RunOutcome, *, error: BaseException | None = None
    ) -> None:
        """End a job with its run's outcome; never raises.

        A refusal by the provider does not count for the queue's speed, and its place in the queue is freed only after
        the breaker is open.
        """
        took = time.monotonic() - job.started_at
        if not (outcome.is_provider_down or outcome.is_provider_failure):
            self._dispatcher.note_seconds(job.lease.queue, took)
            job.leave_queue()
        if job.is_finished or outcome.end is End.FENCED:
            self._dispatcher.heartbeat.drop(job)
        else:
            self._write(job, outcome)
        self._logger.log_end(job, outcome, error, took)
        _note(job, outcome, error, took)

    def release(self, job: JobContext) -> None:
        """Release a job that was not started: pending, due now, attempt not counted."""
        job.leave_queue()
        self._write(job, RunOutcome(end=End.RELEASED))

    def flush_log(self, *, everything: bool = False) -> None:
        """Log what was counted long enough, or everything."""
        self._logger.flush(everything=everything)

    def _write(self, job: JobContext, outcome: RunOutcome) -> None:
        """Write an end; only burying a job waits until it is on disk.

        Other ends of the moment share one commit while the thread continues. If one is lost, the lease expires and
        the job runs again.
        """
        write = partial(job.finish, outcome=outcome)
        try:
            if job.is_buried_by(outcome):
                self._written(job, outcome, self._db.write(write), None)
            else:
                self._db.writer.later(write, partial(self._written, job, outcome))
        except Exception as error:  # it must not end the thread that ran the job
            self._written(job, outcome, False, error)

    def _written(
        self, job: JobContext, outcome: RunOutcome, is_ours: bool, error: BaseException | None
    ) -> None:
        """Drop a job whose end is written; otherwise retry at the next heartbeat."""
        if error is not None:
            log.warning("job.end_not_recorded", job_id=job.lease.job_id, error=type(error).__name__)
            job.write_again = partial(self._write, job, outcome)
            return
        job.is_finished = True
        self._dispatcher.heartbeat.drop(job)
        job.leave_queue()
        if not is_ours:
            metrics.FENCED.inc()
            log.info("job.fenced", job_id=job.lease.job_id, kind=job.lease.kind)


def _note(job: JobContext, outcome: RunOutcome, error: BaseException | None, took: float) -> None:
    """Count and time an end, and record a failure by its taxonomy code."""
    kind = job.lease.kind
    metrics.labelled(metrics.JOB_OUTCOMES, kind, outcome.end).inc()
    metrics.labelled(metrics.JOB_SECONDS, kind).observe(took)
    if outcome.end in (End.COMPLETED, End.FAILED, End.PERMANENT):
        latency.observe(TimedOperation.JOBS, took)
    if outcome.end not in (End.FAILED, End.PERMANENT):
        return
    code = taxonomy.of_job(kind, outcome.code, error)
    if code is not None:
        if code.stage is ErrorStage.CONNECTOR:
            record.count(Count.SYNC_ERRORS, str(job.lease.payload.get("connectorId")))
        record.error(
            code, outcome.error, memory_id=job.lease.memory_id, duration_ms=round(took * 1000, 1)
        )
