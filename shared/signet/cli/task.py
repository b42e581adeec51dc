"""`signet task …`: scheduled prompts for a harness, and their runs."""

import sys
from typing import Annotated, Any, NamedTuple

import typer

from signet.cli import identify, output
from signet.cli.command import Output, arg, command, opt
from signet.client import Signet
from signet.errors import Invalid

app = typer.Typer(help="Run prompts in a harness on a schedule.", no_args_is_help=True)

HARNESSES = ("claude-code", "codex", "opencode")

TaskArgument = Annotated[str, arg("ID, first characters of the ID, or name.", "TASK")]


class TaskFields(NamedTuple):
    """Options that describe a task."""

    name: Annotated[str | None, "Name of the task."] = None
    prompt: Annotated[str | None, "Prompt that the harness runs."] = None
    cron: Annotated[
        str | None, 'Schedule as minute hour day month weekday, such as "0 9 * * 1".'
    ] = None
    harness: Annotated[
        str | None,
        opt(
            f"{', '.join(HARNESSES)}; default of a new task: {HARNESSES[0]}.",
            autocompletion=lambda: list(HARNESSES),
        ),
    ] = None
    directory: Annotated[str | None, "Working directory; default: your home."] = None
    timezone: Annotated[str | None, "Time zone, such as Europe/Paris; default: the daemon's."] = (
        None
    )
    skill: Annotated[str | None, "Skill to add to the prompt."] = None
    skill_mode: Annotated[
        str | None, "Mode: inject (add its text) or slash (/name before the prompt)."
    ] = None
    skip_permissions: Annotated[
        bool | None,
        opt(
            "Run Claude Code with --dangerously-skip-permissions: "
            "it edits files and runs commands without asking.",
            "--skip-permissions/--ask-permissions",
        ),
    ] = None

    def body(self) -> dict[str, object]:
        """Return the given fields as the API names them."""
        fields = {
            "name": self.name,
            "prompt": self.prompt,
            "cronExpression": self.cron,
            "harness": self.harness,
            "workingDirectory": self.directory,
            "timezone": self.timezone,
            "skillName": self.skill,
            "skillMode": self.skill_mode or ("inject" if self.skill else None),
            "skipPermissions": self.skip_permissions,
        }
        return {key: value for key, value in fields.items() if value is not None}


@command(app, "list")
def list_tasks(signet: Signet) -> Output:
    """List the tasks, newest first.

    Examples: signet task list · signet task list --json
    """
    found = signet.call("GET", "/api/tasks")
    yield found
    advice = 'Add one: signet task add --name Tidy --prompt "…" --cron "0 9 * * *"'
    yield from output.listed(map(_line, found["tasks"]), "No tasks", advice)


@command(app)
def show(signet: Signet, task: TaskArgument) -> Output:
    """Show a task and its last runs.

    Examples: signet task show tidy · signet task show tidy --json
    """
    found = signet.call("GET", f"/api/tasks/{_find(signet, task)['id']}")
    yield found
    one = found["task"]
    output.say(_line(one))
    output.say(f"  prompt      {output.plain(one['prompt'])}")
    output.say(f"  directory   {output.plain(one['working_directory'] or 'your home')}")
    if one["skill_name"]:
        output.say(f"  skill       {output.plain(one['skill_name'])} ({one['skill_mode']})")
    if one["skip_permissions"]:
        output.say("  permissions skipped")
    for run in found["runs"]:
        output.say(_run_line(run))


@command(app, does="add a task, which runs an agent on a schedule")
def add(signet: Signet, task: TaskFields) -> Output:
    """Add a task.

    Examples: signet task add --name Tidy --prompt "sort notes" --cron "0 9 * * *" · signet task add --name
    Tea --prompt "tea?" --cron "0 16 * * *" --harness codex
    """
    for option in ("name", "prompt", "cron"):
        if not getattr(task, option):
            raise Invalid(f"--{option} is required")
    body = {"harness": HARNESSES[0]} | task.body()
    made = signet.call("POST", "/api/tasks", body=body)
    yield made
    output.say(f"Added {made['id']}, next run {output.local(made['nextRunAt'])}")


@command(app, does="change what a task runs, or when")
def edit(
    signet: Signet,
    task: TaskArgument,
    fields: TaskFields,
    enabled: Annotated[
        bool | None, opt("Turn its schedule on or off.", "--enable/--disable")
    ] = None,
) -> Output:
    """Change a task. An empty --skill, --directory or --timezone removes it.

    Examples: signet task edit tidy --cron "0 8 * * *" · signet task edit tidy --disable
    """
    body = fields.body() | ({} if enabled is None else {"enabled": enabled})
    if not body:
        raise Invalid("Nothing to change; see: signet task edit --help")
    one = _find(signet, task)
    done = signet.call("PATCH", f"/api/tasks/{one['id']}", body=body)
    yield done
    output.say(f"Changed {output.plain(str(body.get('name') or one['name']))}")


@command(app, does="delete a task and its runs")
def remove(signet: Signet, task: TaskArgument) -> Output:
    """Remove a task and its runs. A running one is stopped.

    Examples: signet task remove tidy · signet task remove tidy --json
    """
    one = _find(signet, task)
    gone = signet.call("DELETE", f"/api/tasks/{one['id']}")
    yield gone
    output.say(f"Removed {output.plain(one['name'])}")


@command(app, does="run a task")
def run(signet: Signet, task: TaskArgument) -> Output:
    """Run a task now, even if its schedule is off.

    Examples: signet task run tidy · signet task run tidy --json
    """
    one = _find(signet, task)
    started = signet.call("POST", f"/api/tasks/{one['id']}/run", body={})
    yield started
    output.say(f"Started {started['runId']}")
    output.hint(f"See how it ended: signet task runs {one['id'][:8]}")


@command(app)
def runs(
    signet: Signet,
    task: TaskArgument,
    limit: Annotated[int, opt("Maximum number of runs.", "-n", min=1, max=200)] = 20,
) -> Output:
    """List the runs of a task, newest first.

    Examples: signet task runs tidy · signet task runs tidy -n 100 --json
    """
    one = _find(signet, task)
    found = signet.call("GET", f"/api/tasks/{one['id']}/runs", limit=limit)
    yield found
    yield from output.listed(map(_run_line, found["runs"]), "No runs yet")


def _find(signet: Signet, named: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = signet.call("GET", "/api/tasks")["tasks"]
    return identify.one(
        found,
        named,
        noun="task",
        see="task list",
        name=lambda one: str(one["name"]),
    )


def _line(one: dict[str, Any]) -> str:
    ink = output.ink(sys.stdout)
    due = output.local(one["next_run_at"]) if one["enabled"] and one["next_run_at"] else "disabled"
    parts = (one["id"][:8], ink.bold(output.plain(one["name"])), one["harness"])
    return "  ".join(
        (*parts, one["cron_expression"], ink.dim(f"next {due}" if one["enabled"] else due))
    )


def _run_line(one: dict[str, Any]) -> str:
    ink = output.ink(sys.stdout)
    color = {"completed": ink.good, "failed": ink.bad}.get(one["status"], ink.name)
    why = one["error"] or ("" if one["exit_code"] in (0, None) else f"exit {one['exit_code']}")
    return f"{one['id'][:8]}  {output.local(one['started_at'])}  {color(one['status'])}  {output.plain(why)}".rstrip()
