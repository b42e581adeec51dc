"""Record, count and log the ends of runs."""

import time
from functools import partial

from signet.db import Database
from signet.observe import latency, logs, metrics, record, taxonomy
from signet.observe.latency import TimedOperation
from signet.observe.record import Count
from signet.observe.taxonomy import ErrorStage
from signet.queue.job_context import JobContext
from signet.queue.retry import End, RunOutcome
from signet_worker.dispatcher import Dispatcher
from signet_worker.job_log import JobLogger

log = logs.get("pipeline")


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
