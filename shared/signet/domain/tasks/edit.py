"""Making and changing a task: what is refused, and when it is due next."""

import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.skills.files import is_name
from signet.domain.tasks import cron, sql
from signet.domain.tasks.models import Harness, SkillMode, Task
from signet.domain.tasks.zones import zone
from signet.errors import Invalid, NotFound

#: Linux takes 128 KB for one argument of a program; a skill and the prompt are one.
MAX_PROMPT_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a client asks for in a task; None leaves a field as it is, "" empties one that may be empty."""

    name: str | None = None
    prompt: str | None = None
    cron_expression: str | None = None
    timezone: str | None = None
    harness: str | None = None
    working_directory: str | None = None
    enabled: bool | None = None
    skill_name: str | None = None
    skill_mode: str | None = None
    skip_permissions: bool | None = None


def draft(wish: Wish, *, now: datetime) -> Task:
    """Return a new task; raises Invalid. Looks at the disk, for the program and the folder."""
    if not all((wish.name, wish.prompt, wish.cron_expression, wish.harness)):
        raise Invalid("name, prompt, cronExpression, and harness are required")
    at = clock.to_text(now)
    blank = Task(
        id=ids.new_id(),
        name="",
        prompt="",
        cron_expression="",
        timezone=None,
        harness="",
        working_directory=None,
        enabled=True,
        last_run_at=None,
        next_run_at=None,
        skill_name=None,
        skill_mode=None,
        skip_permissions=False,
        created_at=at,
        updated_at=at,
    )
    return changed(blank, wish, now=now)


def add(tx: WriteTx, task: Task) -> None:
    """Store a new task."""
    sql.insert(tx, task)


def save(tx: WriteTx, task: Task) -> None:
    """Store a changed task; raises NotFound when it is gone."""
    if not sql.update(tx, task):
        raise NotFound("Task not found")


def changed(task: Task, wish: Wish, *, now: datetime) -> Task:
    """Return the task as it is wished; raises Invalid. Looks at the disk, for the program and the folder."""
    after = task._replace(
        name=_text(wish.name, task.name, "name"),
        prompt=_text(wish.prompt, task.prompt, "prompt"),
        cron_expression=task.cron_expression
        if wish.cron_expression is None
        else wish.cron_expression,
        timezone=_or_none(wish.timezone, task.timezone),
        harness=task.harness if wish.harness is None else wish.harness,
        working_directory=_or_none(wish.working_directory, task.working_directory),
        enabled=task.enabled if wish.enabled is None else wish.enabled,
        skill_name=_or_none(wish.skill_name, task.skill_name),
        skill_mode=_or_none(wish.skill_mode, task.skill_mode),
        skip_permissions=task.skip_permissions
        if wish.skip_permissions is None
        else wish.skip_permissions,
        updated_at=clock.to_text(now),
    )
    if after.skill_name is None:
        after = after._replace(skill_mode=None)
    is_rescheduled = wish.cron_expression is not None or wish.timezone is not None
    if is_rescheduled or (after.enabled and not task.enabled):
        due = cron.next_run(after.cron_expression, zone(after.timezone), now)
        after = after._replace(next_run_at=clock.to_text(due))
    _check(after, wish)
    return after


def _check(task: Task, wish: Wish) -> None:
    """Raise Invalid for what no run could use; only what was asked for is looked at on the disk."""
    if task.harness not in set(Harness):
        raise Invalid("harness must be 'claude-code', 'codex', or 'opencode'")
    if task.skill_name is not None and not is_name(task.skill_name):
        raise Invalid("Invalid skill name")
    if task.skill_name is not None and task.skill_mode not in set(SkillMode):
        raise Invalid("skillMode must be 'inject' or 'slash' when skillName is set")
    if len(task.prompt.encode("utf-8", "replace")) > MAX_PROMPT_BYTES:
        raise Invalid(f"prompt is longer than {MAX_PROMPT_BYTES} bytes")
    if any("\0" in text for text in (task.name, task.prompt, task.working_directory or "")):
        raise Invalid("a NUL character cannot be passed to a program")
    if wish.working_directory and not _is_folder(folder_of(task)):
        raise Invalid("workingDirectory does not exist")
    if wish.harness is not None and shutil.which(Harness(task.harness).program) is None:
        raise Invalid(f"CLI for {task.harness} not found on PATH", warning=True)


def folder_of(task: Task) -> Path:
    """Return where runs of a task work: its own folder, else the home of the daemon's user."""
    return Path(os.path.expanduser(task.working_directory or "~")).absolute()  # noqa: PTH111


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # too long a name, or no way to it for us
        return False


def _text(wished: str | None, before: str, name: str) -> str:
    if wished is None:
        return before
    if not wished.strip():
        raise Invalid(f"{name} must not be empty")
    return wished


def _or_none(wished: str | None, before: str | None) -> str | None:
    return before if wished is None else wished.strip() or None
