"""What a run starts: program, arguments, environment. Arguments are a list and never go through a shell (TK-5)."""

import os
from pathlib import Path

from signet.domain.skills import files
from signet.domain.tasks.models import Harness, SkillMode, Task
from signet.errors import SignetError
from signet.observe import logs

log = logs.get("scheduler")

#: Variables for the daemon's own programs alone.
_OWN = ("SIGNET_SOCKET_FD", "SIGNET_SUPERVISOR_PID", "SIGNET_LOG_STDOUT", "SIGNET_PORT_FD")


def arguments(task: Task, prompt: str, *, codex_model: str | None) -> list[str]:
    """Return the command line; `codex_model` is for Codex, which else takes its own default."""
    # What begins with a dash would be read as an option.
    text = f" {prompt}" if prompt.startswith("-") else prompt
    match Harness(task.harness):
        case Harness.CLAUDE_CODE:
            free = ["--dangerously-skip-permissions"] if task.skip_permissions else []
            return ["claude", *free, "-p", text]
        case Harness.CODEX:
            model = ["--model", codex_model] if codex_model else []
            return ["codex", "exec", "--skip-git-repo-check", "--json", *model, text]
        case Harness.OPENCODE:
            return ["opencode", "run", "--format", "json", text]


def prompt(task: Task, skills: Path) -> str:
    """Return the prompt with its skill; without it, and with a warning in the log, when there is no such skill."""
    if task.skill_name is None:
        return task.prompt
    try:
        skill = files.find(skills, task.skill_name)
    except SignetError as error:
        log.warning("task.no_skill", task_id=task.id, skill=task.skill_name, reason=error.message)
        return task.prompt
    if task.skill_mode == SkillMode.SLASH:
        return f"/{task.skill_name} {task.prompt}"
    return f"{skill.body.strip()}\n\n---\n\n{task.prompt}"


def environment() -> dict[str, str]:
    """Return what a run is given: it must not feed our own hooks, nor believe to be inside a harness."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CLAUDECODE", *_OWN)}
    return kept | {"SIGNET_NO_HOOKS": "1"}
