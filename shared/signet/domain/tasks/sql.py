"""Rows of tasks and their runs."""

from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import WriteTx
from signet.domain.tasks.models import RunEnd

#: Runs of a task that stay.
RUNS_KEPT = 100

_TASK = (
    "SELECT id, name, prompt, cron_expression, timezone, harness, working_directory, enabled, last_run_at,"
    " next_run_at, skill_name, skill_mode, skip_permissions, created_at, updated_at FROM scheduled_tasks"
)
NEWEST = f"{_TASK} ORDER BY created_at DESC, id DESC"
ONE = f"{_TASK} WHERE id = ?"
INSERT = """
INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, timezone, harness, working_directory, enabled,
    last_run_at, next_run_at, skill_name, skill_mode, skip_permissions, created_at, updated_at)
VALUES (:id, :name, :prompt, :cron_expression, :timezone, :harness, :working_directory, :enabled, :last_run_at,
    :next_run_at, :skill_name, :skill_mode, :skip_permissions, :created_at, :updated_at)"""
UPDATE = """
UPDATE scheduled_tasks SET name = :name, prompt = :prompt, cron_expression = :cron_expression, timezone = :timezone,
    harness = :harness, working_directory = :working_directory, enabled = :enabled, next_run_at = :next_run_at,
    skill_name = :skill_name, skill_mode = :skill_mode, skip_permissions = :skip_permissions,
    updated_at = :updated_at WHERE id = :id"""
CARRY = f"""{INSERT}
ON CONFLICT (id) DO UPDATE SET name = excluded.name, prompt = excluded.prompt,
    cron_expression = excluded.cron_expression, timezone = excluded.timezone, harness = excluded.harness,
    working_directory = excluded.working_directory, enabled = excluded.enabled, last_run_at = excluded.last_run_at,
    next_run_at = excluded.next_run_at, skill_name = excluded.skill_name, skill_mode = excluded.skill_mode,
    skip_permissions = excluded.skip_permissions, created_at = excluded.created_at, updated_at = excluded.updated_at"""
DELETE_RUNS = "DELETE FROM task_runs WHERE task_id = ?"
DELETE = "DELETE FROM scheduled_tasks WHERE id = ?"
_SET_LAST_RUN = "UPDATE scheduled_tasks SET last_run_at = ?, next_run_at = COALESCE(?, next_run_at) WHERE id = ?"
NEXT = "SELECT MIN(next_run_at) FROM scheduled_tasks WHERE enabled = 1"
ENABLED = f"{_TASK} WHERE enabled = 1"
SET_NEXT_RUN = "UPDATE scheduled_tasks SET next_run_at = ? WHERE id = ?"
DISABLE_ALL = "UPDATE scheduled_tasks SET enabled = 0, updated_at = ? WHERE enabled = 1"
OPEN_JOBS = (
    "SELECT id FROM memory_jobs WHERE job_type = 'task_run' AND status IN ('pending', 'leased')"
)
DISABLE = "UPDATE scheduled_tasks SET enabled = 0, updated_at = ? WHERE id = ?"

DUE = f"""{_TASK} t WHERE enabled = 1 AND next_run_at <= ?
   AND NOT EXISTS (SELECT 1 FROM task_runs WHERE task_id = t.id AND status IN ('pending', 'running'))
 ORDER BY next_run_at, id"""

_RUN = (
    "SELECT id, task_id, status, started_at, completed_at, exit_code, stdout, stderr, error"
    " FROM task_runs"
)
_BY_AGE = "started_at DESC, id DESC"
RUNS = f"{_RUN} WHERE task_id = ? ORDER BY {_BY_AGE} LIMIT ? OFFSET ?"
COUNT = "SELECT COUNT(*) FROM task_runs WHERE task_id = ?"
ONE_RUN = f"{_RUN} WHERE id = ?"
ACTIVE = (
    f"""{_RUN} WHERE task_id = ? AND status IN ('pending', 'running') ORDER BY {_BY_AGE} LIMIT 1"""
)
LATEST = f"SELECT id, status FROM task_runs WHERE task_id = ? ORDER BY {_BY_AGE} LIMIT 1"
LAST_ENDS = f"""
SELECT task_id, status, exit_code FROM task_runs r
 WHERE id = (SELECT id FROM task_runs WHERE task_id = r.task_id ORDER BY {_BY_AGE} LIMIT 1)"""
ADD_RUN = "INSERT INTO task_runs (id, task_id, status, started_at) VALUES (?, ?, 'pending', ?)"
BEGIN = """
UPDATE task_runs SET status = 'running', lease_owner = ?, started_at = ? WHERE id = ? AND status = 'pending'"""
_END = """
UPDATE task_runs SET status = ?, completed_at = ?, exit_code = ?, error = ?, stdout = ?, stderr = ?,
    lease_owner = NULL WHERE id = ? AND status IN ('pending', 'running')"""
_DELETE_OLD = f"""
DELETE FROM task_runs WHERE task_id = :task AND status NOT IN ('pending', 'running')
   AND id NOT IN (SELECT id FROM task_runs WHERE task_id = :task ORDER BY {_BY_AGE} LIMIT {RUNS_KEPT})"""
#: Runs whose job has ended, or that never had one because an older program or another process began them.
ORPHANS = """
SELECT id, task_id, status, started_at, completed_at, exit_code, stdout, stderr, error,
       (SELECT last_error_code FROM memory_jobs WHERE id = r.id) AS code
  FROM task_runs r WHERE status IN ('pending', 'running')
   AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE id = r.id AND status IN ('pending', 'leased'))"""


class Latest(NamedTuple):
    id: str
    status: str


def set_last_run(tx: WriteTx, task_id: str, *, at: datetime, next_at: datetime | None) -> None:
    """Set the last run of a task; without `next_at` its next run stays."""
    following = None if next_at is None else clock.to_text(next_at)
    tx.run(_SET_LAST_RUN, (clock.to_text(at), following, task_id))


def end(tx: WriteTx, run_id: str, task_id: str, ended: RunEnd, *, now: datetime) -> bool:
    """Write the end of a run and delete the oldest runs; False if it has ended before, or is gone."""
    values = (
        ended.status,
        clock.to_text(now),
        ended.exit_code,
        ended.error,
        ended.stdout,
        ended.stderr,
        run_id,
    )
    if not tx.run(_END, values):
        return False
    tx.run(_DELETE_OLD, {"task": task_id})
    return True
