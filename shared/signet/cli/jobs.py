"""`signet jobs …`: list, watch, retry, cancel and pause background jobs."""

import json
import sys
from typing import Annotated, Any, Literal, NamedTuple, get_args

import typer

from signet.cli import output
from signet.cli.command import JsonOption, Output, PathOption, arg, client, command, declared, opt
from signet.cli.options import CursorOption, SinceOption, UntilOption
from signet.cli.output import Ink
from signet.client import Job, Signet
from signet.client.answers import ChangedJobs
from signet.client.call import Call

app = typer.Typer(help="Inspect and control background jobs.", no_args_is_help=True)

#: Resting states of a job (copied from queue/kinds.py, which loads the database).
Status = Literal["pending", "leased", "completed", "dead"]

_ERROR_CHARS = 100
#: Filters of jobs by the ID of what they are about.
_OF = ("memory", "document")
_NAME_WIDTH = 18
#: Fields that `show` omits: shown elsewhere, or only for programs.
_ELSEWHERE = frozenset({"attempt_count", "last_error", "errors", "lease_token", "due_at"})
_STATUS_WIDTH = max(map(len, get_args(Status)))


KindOption = Annotated[str | None, "Only jobs of this kind, such as extract or embed."]
CodeOption = Annotated[str | None, "Only jobs whose last error has this code, such as timeout."]
QueueArgument = Annotated[str | None, arg("Only this queue, such as llm or vectors.", "[QUEUE]")]
ManyOption = Annotated[int, opt("How many.", "-l", min=1, max=500)]


class ListedJobs(NamedTuple):
    """Options that choose the jobs of a list."""

    status: Annotated[Status | None, "Only jobs in this state."] = None
    kind: KindOption = None
    code: CodeOption = None
    memory: Annotated[str | None, "Only jobs of this memory."] = None
    document: Annotated[str | None, "Only jobs of this document."] = None
    since: SinceOption = None
    until: UntilOption = None


class ChosenJobs(NamedTuple):
    """The jobs to change."""

    ids: Annotated[list[str] | None, arg("IDs of the jobs.", "[ID]...")] = None
    kind: KindOption = None
    code: CodeOption = None
    all: Annotated[bool, "All jobs that this command can change."] = False
    limit: Annotated[
        int | None,
        opt(
            "Maximum number of jobs to change; default: 50, or every ID given.",
            "-l",
            min=1,
            max=500,
        ),
    ] = None
    dry_run: Annotated[bool, "List the jobs; change nothing."] = False

    def one(self) -> str | None:
        """Return the ID if it is one job, None for several. Raises BadParameter for none."""
        if self.ids and len(self.ids) == 1 and not self.dry_run:
            return self.ids[0]
        if not (self.ids or self.kind or self.code or self.all):
            raise typer.BadParameter("choose the jobs: IDs, --kind, --code or --all")
        return None


@command(app, "list")
def list_jobs(
    signet: Signet,
    wanted: ListedJobs,
    limit: ManyOption = 20,
    cursor: CursorOption = None,
    counts: Annotated[bool, "Count them by state, kind, queue and error instead."] = False,
) -> Output:
    """List jobs, last changed first.

    Examples: signet jobs list · signet jobs list --status dead --kind extract · signet jobs list --counts
    """
    named = wanted._asdict()
    chosen = {f"{name}_id" if name in _OF else name: value for name, value in named.items()}
    page = signet.all_jobs(limit=limit, cursor=cursor, facets=counts, **chosen)
    yield page
    ink = output.ink(sys.stdout)
    if counts:
        yield output.count(page.get("total", 0), "job")
        for name, values in page.get("facets", {}).items():
            told = " · ".join(f"{output.plain(one['key'])} {one['count']}" for one in values)
            if told:
                yield f"  {ink.dim(f'{name:<8}')}{told}"
        return
    yield from output.listed((_line(job, ink) for job in page["jobs"]), "No jobs")
    more = f"signet jobs list -l {limit}{output.flags(named)}"
    output.further(len(page["jobs"]), page["next"], more)


@command(app)
def show(
    signet: Signet,
    job_id: Annotated[str, arg("ID of the job.", "ID")],
) -> Output:
    """Show one job in full, with its latest errors.

    Examples: signet jobs show ID · signet jobs show ID --json
    """
    job = signet.job(job_id)
    yield job
    for name, value in job.items():
        if name not in _ELSEWHERE and value not in (None, [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            output.say(f"{name:<{_NAME_WIDTH}}{output.plain(text)}")
    for past in job["errors"]:
        said = output.plain(f"{past['code']}: {past['text']}")
        output.say(f"{'failed':<{_NAME_WIDTH}}{output.local(past['at'])}  {said}")


@command(app)
def retry(signet: Signet, chosen: ChosenJobs) -> Output:
    """Retry dead jobs now, and jobs that wait for their next attempt.

    Examples: signet jobs retry ID · signet jobs retry --kind extract --dry-run
    """
    if id := chosen.one():
        yield signet.retry_job(id)
        output.say("Queued again")
    else:
        yield from _changed(signet.retry_jobs(**chosen._asdict()), "retried")


@command(app)
def cancel(signet: Signet, chosen: ChosenJobs) -> Output:
    """Cancel waiting jobs at once, and running jobs at their next check.

    Examples: signet jobs cancel ID · signet jobs cancel --kind embed --dry-run
    """
    if id := chosen.one():
        ended = signet.cancel_job(id)
        yield ended
        is_running = ended.get("cancelRequested")
        output.say("Running; it stops at its next check" if is_running else "Cancelled")
    else:
        yield from _changed(signet.cancel_jobs(**chosen._asdict()), "cancelled")


@app.command()
@declared
def watch(
    follow: Annotated[bool, opt("Keep watching until Ctrl-C.", "-f")] = False,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show progress until no more jobs can run now.

    With --json, prints a line whenever the numbers change.

    Examples: signet jobs watch · signet jobs watch --follow --json
    """
    from signet.cli import work

    work.watch(client(path), follow=follow, as_json=as_json)


@command(app)
def delete(signet: Signet, job_id: Annotated[str, arg("ID of the job.", "ID")]) -> Output:
    """Delete a job that has ended. Cancel an open one first.

    Examples: signet jobs delete ID · signet jobs delete ID --json
    """
    yield signet.delete_job(job_id)
    output.say("Deleted")


@command(app)
def pause(signet: Signet, queue: QueueArgument = None) -> Output:
    """Start no more jobs, of one queue or of all, until resumed. Running jobs finish; survives restarts.

    Examples: signet jobs pause · signet jobs pause llm
    """
    yield signet.pause(queue=queue)
    named = f" {queue}" if queue else ""
    output.advise(f"Paused. Resume with: signet jobs resume{named}")


@command(app)
def resume(signet: Signet, queue: QueueArgument = None) -> Output:
    """Start jobs again after a pause, of one queue or of all.

    Examples: signet jobs resume · signet jobs resume llm
    """
    yield signet.resume(queue=queue)
    output.say("Resumed")


@command(app)
def nudge(signet: Signet) -> Output:
    """Try waiting jobs and unreachable models again now.

    Examples: signet jobs nudge · signet jobs nudge --json
    """
    asked: Call[dict[str, Any]] = Call(method="POST", path="/api/pipeline/nudge", body={})
    answer = signet.send(asked)
    yield answer
    later = "No worker is running; it does this first when it starts"
    output.say("Nudged" if answer["nudged"] else later)


def _line(job: Job, ink: Ink) -> str:
    state = job["status"]
    color = {"dead": ink.bad, "failed": ink.warn, "leased": ink.name}.get(state, ink.dim)
    when = output.local(job["updated_at"])
    attempts = f"{job['attempts']}/{job['max_attempts']}"
    line = (
        f"{ink.dim(when)}  {color(f'{state:<{_STATUS_WIDTH}}')}  {job['job_type']:<16} {attempts}"
    )
    line += f"  {job['id']}  {ink.dim(job['says'])}"
    if job["error"] and state != "completed":
        line += f"\n  {output.short(job['error'], _ERROR_CHARS)}"
    return line


def _changed(found: ChangedJobs, done: str) -> Output:
    yield found
    jobs = output.count(found["affected"], "job")
    yield from found["ids"] if found["dryRun"] else ()
    yield f"{jobs} would be {done}" if found["dryRun"] else f"{jobs} {done}"
    if found.get("more"):
        output.hint(
            "More jobs match: run the command again, or give a larger --limit (500 at most)"
        )
