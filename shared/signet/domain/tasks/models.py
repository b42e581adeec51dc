"""Tasks and their runs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class TaskHarness(StrEnum):
    """The programs that can run a prompt, by their command."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    OPENCODE = "opencode"

    @property
    def program(self) -> str:
        return "claude" if self is TaskHarness.CLAUDE_CODE else self.value


class SkillMode(StrEnum):
    """How a skill is added to the prompt: its text in front, or its name as a command."""

    INJECT = "inject"
    SLASH = "slash"


class RunStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


#: States of an unfinished run; a task has at most one.
ACTIVE = (RunStatus.PENDING, RunStatus.RUNNING)
#: The error of a run that its process did not live to end; nothing is run a second time.
RESTARTED = "daemon_restart"
#: Bytes stored of each stream of a run.
STREAM_BYTES = 1_048_576


class Task(NamedTuple):
    """One row of `scheduled_tasks`; instants are text."""

    id: str
    name: str = ""
    prompt: str = ""
    cron_expression: str = ""
    timezone: str | None = None
    harness: str = ""
    working_directory: str | None = None
    enabled: bool = True
    last_run_at: str | None = None
    next_run_at: str | None = None
    skill_name: str | None = None
    skill_mode: str | None = None
    skip_permissions: bool = False
    created_at: str = ""
    updated_at: str = ""


class TaskRun(NamedTuple):
    """One row of `task_runs`; instants are text."""

    id: str
    task_id: str
    status: str
    started_at: str
    completed_at: str | None
    exit_code: int | None
    stdout: str | None
    stderr: str | None
    error: str | None

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """The end of a run: its exit status or the reason for having none, and its output."""

    exit_code: int | None = None
    error: str | None = None
    stdout: str = ""
    stderr: str = ""

    @property
    def status(self) -> RunStatus:
        is_good = self.error is None and self.exit_code == 0
        return RunStatus.COMPLETED if is_good else RunStatus.FAILED
