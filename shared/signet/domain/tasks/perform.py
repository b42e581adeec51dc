"""One run of a task in the worker, from its first line to its end.

A run begins once: a job that finds it begun, because a worker died or was stopped, ends it as failed and runs nothing
(TK-6).
"""

from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.config import Settings
from signet.config.extraction import TextProvider
from signet.db import Database, WriteTx
from signet.domain.tasks import command, execute, sql
from signet.domain.tasks.edit import folder_of
from signet.domain.tasks.models import RESTARTED, Ended, Task, TaskRun
from signet.domain.tasks.spool import Spool
from signet.observe import logs
from signet.paths import Workspace
from signet.queue import transitions
from signet.queue.job_context import JobContext
from signet.queue.retry import Cancelled, LeaseLost

log = logs.get("scheduler")

#: Errors of jobs that say why a run has no end of its own; after any other one its process was killed.
_ENDINGS = frozenset({"cancelled", "timeout", "expired"})


def perform(job: JobContext, settings: Settings, workspace: Workspace) -> None:
    """Do the run of this job; raises LeaseLost, Cancelled, and TimeoutError for a job that ran too long."""
    run_id = job.lease.job_id
    spool = Spool.of(workspace, run_id)
    # Synced: after a power cut it must be known that the run has begun.
    task, may_run = job.db.write(_begin, job, clock.now())
    if task is None:
        job.commit(lambda tx: {"skipped": "the task is gone"})
    elif not may_run:
        _finish(job, task, unfinished(spool, RESTARTED))
    else:
        _finish(job, task, _run(job, task, spool, settings, workspace))
    spool.remove()


def unfinished(spool: Spool, error: str) -> Ended:
    """Return the end of a run whose process did not report one, with its output so far."""
    return Ended(error=error, stdout=spool.text("stdout"), stderr=spool.text("stderr"))


def end_orphan(tx: WriteTx, run: TaskRun, ended: Ended, *, now: datetime) -> bool:
    """End a run that has no job, unless it has ended meanwhile; what was stored of its output stays."""
    kept = replace(
        ended, stdout=ended.stdout or run.stdout or "", stderr=ended.stderr or run.stderr or ""
    )
    return sql.end(tx, run.id, run.task_id, kept, now=now)


def end_orphans(db: Database, workspace: Workspace, *, now: datetime) -> None:
    """End as failed the runs that no job will ever end."""
    for *fields, code in db.read(lambda tx: tx.tuples(sql.ORPHANS)):
        run = TaskRun._make(fields)
        spool = Spool.of(workspace, run.id)
        ended = unfinished(spool, code if code in _ENDINGS else RESTARTED)
        if db.write(end_orphan, run, ended, now=now):
            log.warning("task.not_ended", task_id=run.task_id, run_id=run.id, reason=ended.error)
        spool.remove()


def _begin(tx: WriteTx, job: JobContext, now: datetime) -> tuple[Task | None, bool]:
    """Return the task of this run, None when it is gone, and whether the run begins now."""
    held = job.lease
    if not transitions.is_held(tx, held.job_id, held.token):
        raise LeaseLost(job_id=held.job_id)
    found = tx.row(TaskRun, sql.ONE_RUN, (held.job_id,))
    task = None if found is None else sql.task(tx, found.task_id)
    return task, tx.run(sql.BEGIN, (str(held.token), clock.to_text(now), held.job_id)) == 1


def _run(
    job: JobContext, task: Task, spool: Spool, settings: Settings, workspace: Workspace
) -> Ended:
    extraction = settings.pipeline.extraction
    is_codex = extraction.provider is TextProvider.CODEX
    prompt = command.prompt(task, workspace.skills_dir)
    line = command.arguments(task, prompt, codex_model=extraction.model if is_codex else None)
    log.info("task.started", task_id=task.id, run_id=job.lease.job_id, harness=task.harness)
    try:
        return execute.execute(
            line, spool, folder=folder_of(task), environ=command.environment(), check=job.check
        )
    except Cancelled:
        job.progress(lambda tx: _end(tx, job, task, unfinished(spool, "cancelled")))
        spool.remove()
        raise


def _finish(job: JobContext, task: Task, ended: Ended) -> None:
    job.commit(lambda tx: _end(tx, job, task, ended))
    log.info(
        "task.ended",
        task_id=task.id,
        run_id=job.lease.job_id,
        status=ended.status,
        exit_code=ended.exit_code,
        reason=ended.error,
    )


def _end(tx: WriteTx, job: JobContext, task: Task, ended: Ended) -> dict[str, object]:
    sql.end(tx, job.lease.job_id, task.id, ended, now=clock.now())
    return {"status": ended.status, "exitCode": ended.exit_code}
