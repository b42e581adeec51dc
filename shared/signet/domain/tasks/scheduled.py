"""Scheduled tasks: list, check, save and change them."""

import os
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.domain.skills.files import is_name
from signet.domain.tasks import sql
from signet.domain.tasks.models import ACTIVE, SkillMode, Task, TaskHarness, TaskRun
from signet.errors import Invalid, NotFound


def get(tx: ReadTx, task_id: str) -> Task:
    found = tx.row(Task, sql.ONE, (task_id,))
    if found is None:
        raise NotFound("Task not found")
    return found


def every(tx: ReadTx) -> list[tuple[Task, tuple[str | None, int | None]]]:
    """Return every task, newest first, with status and exit code of its newest run."""
    ends = {task_id: (status, exit_code) for task_id, status, exit_code in tx.tuples(sql.LAST_ENDS)}
    return [(task, ends.get(task.id, (None, None))) for task in tx.rows(Task, sql.NEWEST)]


def runs(tx: ReadTx, task_id: str, *, limit: int, offset: int) -> tuple[list[TaskRun], int]:
    """Return a page of runs, newest first, and their number; raises NotFound."""
    get(tx, task_id)
    count = int(tx.value(sql.COUNT, (task_id,)))
    return tx.rows(TaskRun, sql.RUNS, (task_id, limit, offset)), count


def run(tx: ReadTx, run_id: str) -> TaskRun | None:
    return tx.row(TaskRun, sql.ONE_RUN, (run_id,))


def latest_run(tx: ReadTx, task_id: str) -> tuple[str, bool] | None:
    """Return the ID of the newest run and whether it is open; None without runs. Raises NotFound."""
    found = tx.row(sql.Latest, sql.LATEST, (task_id,))
    if found is None:
        get(tx, task_id)
        return None
    return found.id, found.status in ACTIVE


#: Linux takes 128 KB for one argument of a program; a skill and the prompt are one.
MAX_PROMPT_BYTES = 65_536


#: A client's values for the fields of a task; None leaves a field unchanged, "" empties one that may
#: be empty.
Wish = Mapping[str, Any]

_REQUIRED = ("name", "prompt", "cron_expression", "harness")
_TEXTS = ("name", "prompt")
_MAY_BE_EMPTY = ("timezone", "working_directory", "skill_name", "skill_mode")


def draft(wish: Wish, *, now: datetime) -> Task:
    """Return a new task; raises Invalid. Checks program and folder on the disk."""
    if not all(wish.get(name) for name in _REQUIRED):
        raise Invalid("name, prompt, cronExpression, and harness are required")
    return changed(Task(id=ids.new_id(), created_at=clock.to_text(now)), wish, now=now)


def add(tx: WriteTx, task: Task) -> None:
    tx.run(sql.INSERT, task._asdict())


def save(tx: WriteTx, task: Task) -> None:
    if tx.run(sql.UPDATE, task._asdict()) != 1:
        raise NotFound("Task not found")


def changed(task: Task, wish: Wish, *, now: datetime) -> Task:
    """Return the task with new values; raises Invalid. Checks program and folder on the disk."""
    said = {name: value for name, value in wish.items() if value is not None}
    for name in _TEXTS:
        if name in said and not said[name].strip():
            raise Invalid(f"{name} must not be empty")
    said |= {name: said[name].strip() or None for name in _MAY_BE_EMPTY if name in said}
    after = task._replace(**said, updated_at=clock.to_text(now))
    if after.skill_name is None:
        after = after._replace(skill_mode=None)
    is_rescheduled = "cron_expression" in said or "timezone" in said
    if is_rescheduled or (after.enabled and not task.enabled):
        due = next_run(after.cron_expression, zone(after.timezone), now)
        after = after._replace(next_run_at=clock.to_text(due))
    _check(after, wish)
    return after


def _check(task: Task, wish: Wish) -> None:
    """Raise Invalid for unusable values; only requested values are checked on the disk."""
    if task.harness not in set(TaskHarness):
        raise Invalid("harness must be 'claude-code', 'codex', or 'opencode'")
    if task.skill_name is not None and not is_name(task.skill_name):
        raise Invalid("Invalid skill name")
    if task.skill_name is not None and task.skill_mode not in set(SkillMode):
        raise Invalid("skillMode must be 'inject' or 'slash' when skillName is set")
    if len(task.prompt.encode("utf-8", "replace")) > MAX_PROMPT_BYTES:
        raise Invalid(f"prompt is longer than {MAX_PROMPT_BYTES} bytes")
    if any("\0" in text for text in (task.name, task.prompt, task.working_directory or "")):
        raise Invalid("a NUL character cannot be passed to a program")
    if wish.get("working_directory") and not _is_folder(folder_of(task)):
        raise Invalid("workingDirectory does not exist")
    if wish.get("harness") is not None and shutil.which(TaskHarness(task.harness).program) is None:
        raise Invalid(f"CLI for {task.harness} not found on PATH", warning=True)


def folder_of(task: Task) -> Path:
    """Return the working folder of a task's runs: its own, else the daemon user's home."""
    return Path(os.path.expanduser(task.working_directory or "~")).absolute()  # noqa: PTH111


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # too long a name, or no way to it for us
        return False


#: Far beyond any expression with a meaning; keeps hostile ones cheap.
MAX_CHARS = 200
PRESETS = (
    ("Every 15 min", "*/15 * * * *"),
    ("Hourly", "0 * * * *"),
    ("Daily 9am", "0 9 * * *"),
    ("Weekly Mon 9am", "0 9 * * 1"),
)
_MINUTE = timedelta(minutes=1)


class InvalidCron(Invalid, code="invalid_cron"):
    """Invalid cron expression; five fields are expected, such as 0 9 * * 1-5."""


def next_run(expression: str, zone: tzinfo, after: datetime) -> datetime:
    """Return the first instant strictly after another, in UTC; raises InvalidCron, also without any."""
    from cronsim import CronSim, CronSimError

    fields = expression.split()
    if len(fields) != 5 or len(expression) > MAX_CHARS:
        raise InvalidCron()
    local = after.astimezone(zone)
    keeps_distance = fields[1].startswith("*")
    try:
        coming = CronSim(expression, local if keeps_distance else local.replace(tzinfo=None))
        for due in coming:
            instant = due.astimezone(UTC) if keeps_distance else _instant(due, zone)
            if instant > after:
                return instant
    except (CronSimError, OverflowError) as error:
        raise InvalidCron() from error
    raise InvalidCron()


def _instant(wall: datetime, zone: tzinfo) -> datetime:
    """Return the first instant of a local time; if clocks skip it, the minute after the gap."""
    while True:
        instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
        if instant.astimezone(zone).replace(tzinfo=None, fold=0) == wall.replace(fold=0):
            return instant
        wall += _MINUTE


def zone(name: str | None) -> tzinfo:
    """Return an IANA time zone, the machine's for None. Raises Invalid."""
    if name is None:
        return clock.LOCAL
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid("timezone must be the name of a time zone, such as Europe/Berlin") from error
