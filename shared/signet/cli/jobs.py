"""`signet jobs …`: look at the work in the background, watch it, pause it."""

import sys
import time
from typing import Annotated, Literal, get_args

import typer

from signet.cli import output
from signet.cli.connect import client
from signet.cli.daemon import JsonOption, PathOption
from signet.cli.output import Ink
from signet.cli.progress import Progress
from signet.client import Job, Work

app = typer.Typer(help="Look at the work in the background.", no_args_is_help=True)

#: The states a job rests in (queue/states.py, which loads the database).
Status = Literal["pending", "leased", "completed", "dead"]

_ERROR_CHARS = 100
_STATUS_WIDTH = max(map(len, get_args(Status)))


@app.command("list")
def list_jobs(
    status: Annotated[Status | None, typer.Option("--status", help="Only these.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Such as extract or embed.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=500, help="How many.")] = 20,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show jobs, latest change first.

    Examples: signet jobs list · signet jobs list --status dead --kind extract
    """
    found = client(path).jobs(status=status, kind=kind, limit=limit)
    if as_json:
        output.show({"jobs": found, "count": len(found)})
        return
    if not found:
        output.say("No jobs")
    ink = output.ink(sys.stdout)
    for job in found:
        output.say(_line(job, ink))


@app.command()
def show(
    job_id: Annotated[str, typer.Argument(help="The id of the job.")],
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one job.

    Examples: signet jobs show ID · signet jobs show ID --json
    """
    job = client(path).job(job_id)
    if as_json:
        output.show(job)
        return
    for name, value in job.items():
        if value is not None:
            output.say(f"{name:<18}{value}")


@app.command()
def watch(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Show the work going through until nothing is left that can be done now.

    Examples: signet jobs watch · signet jobs watch --json
    """
    signet = client(path)
    began = time.monotonic()
    first = signet.work()
    with Progress("Working", quiet=as_json) as progress:

        def seen(found: Work) -> None:
            done = found.completed - first.completed
            progress.count(done, done + found.open)

        last = signet.wait_for_jobs(watch=seen)
    done = last.completed - first.completed
    if as_json:
        facts = {"open": last.open, "waiting": last.waiting, "dead": last.dead}
        output.show({"completed": done, **facts, "paused": last.paused})
        return
    output.say(f"{done} jobs done in {time.monotonic() - began:.1f} s")
    for line in rest(last):
        output.say(line)


@app.command()
def pause(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Let running jobs finish and start none, until resumed, through restarts too.

    Examples: signet jobs pause · signet jobs pause --json
    """
    answer = client(path).pause()
    _print(answer, "Paused. Go on with: signet jobs resume", as_json)


@app.command()
def resume(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Let jobs start again.

    Examples: signet jobs resume · signet jobs resume --json
    """
    _print(client(path).resume(), "Resumed", as_json)


def rest(last: Work) -> list[str]:
    """Return what is not done, why, and what helps."""
    found = []
    if last.paused:
        found.append("The queue is paused. Go on with: signet jobs resume")
    elif last.open:
        found.append(f"{last.open} still open. See: signet jobs list --status pending")
    if last.waiting:
        why = "; ".join(last.reasons) or "a model that is away"
        found.append(f"{last.waiting} wait: {why}")
    return found


def _line(job: Job, ink: Ink) -> str:
    state = job["status"]
    color = {"dead": ink.bad, "failed": ink.warn, "leased": ink.name}.get(state, ink.dim)
    when = output.local(job["updated_at"])
    attempts = f"{job['attempts']}/{job['max_attempts']}"
    line = f"{ink.dim(when)}  {color(f'{state:<{_STATUS_WIDTH}}')}  {job['job_type']:<16} {attempts}  {job['id']}"
    if job["error"] and state != "completed":
        line += f"\n  {output.short(job['error'], _ERROR_CHARS)}"
    return line


def _print(answer: object, text: str, as_json: bool) -> None:
    if as_json:
        output.show(answer)
    else:
        output.say(text)
