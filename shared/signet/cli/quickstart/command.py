"""The steps of the quickstart."""

import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet import clock
from signet.cli import output
from signet.cli.command import JsonOption, declared, opt
from signet.cli.output import ProgressLine
from signet.client import Job, Signet, Work
from signet.client.plans import JOBS

if TYPE_CHECKING:
    from signet.cli.quickstart.learn import Fed
    from signet.cli.quickstart.report import Steps

#: Seconds to wait for the model before the questions.
WARM_SECONDS = 6.0
LOOK_SECONDS = 0.1
#: Seconds without progress after which the jobs are reported unfinished.
PATIENCE_SECONDS = 30.0
#: Paths to print; `signet paths` prints all.
SHOWN = ("workspace", "settings", "database", "logs", "url", "docs")


@declared
def quickstart(
    input_file: Annotated[
        Path | None,
        opt(
            "Your own session: JSON lines, User:/Assistant: text or Markdown.",
            "--input",
            metavar="FILE",
        ),
    ] = None,
    no_model: Annotated[bool, "Do not install the embedding model (84 MB)."] = False,
    keep: Annotated[bool, "Keep the temporary workspace and its daemon running."] = False,
    as_json: JsonOption = False,
) -> None:
    """Try Signet on a sample session: save it, extract facts, ask questions.

    Uses a temporary workspace and daemon, which are removed at the end. Your memories are not touched.

    Examples: signet quickstart · signet quickstart --input session.jsonl --keep
    """
    from signet.cli.quickstart import learn, place, report
    from signet.cli.quickstart.report import Steps
    from signet.cli.status import places
    from signet.resources import template

    session = learn.read(input_file or template("quickstart-session.jsonl"))
    steps = Steps(quiet=as_json)
    if not as_json:
        output.say()
    with place.workspace(keep=keep) as workspace:
        place.fill(workspace, steps, keep=keep)
        model = place.model(workspace, steps, wanted=not no_model)
        with place.alone(workspace):
            daemon = place.daemon(workspace, steps)
        signet = Signet(
            path=str(workspace.root),
            environ={},
            actor="quickstart",
            actor_type="operator",
        )
        begun = clock.to_text(clock.now())
        fed = learn.feed(signet, session, quiet=as_json)
        steps.done("Session", _told(fed, input_file))
        work = _work(signet, fed, begun, steps)
        facts = learn.facts(signet, fed.memory_ids)
        asked = learn.questions_about(facts) if input_file else learn.sample_questions()
        if model.is_usable:
            _warm(signet)
        answers = learn.ask(signet, asked)
        if as_json:
            output.show(
                {
                    "workspace": {"path": str(workspace.root), "kept": keep},
                    "model": asdict(model),
                    "daemon": {"url": signet.url, "pid": daemon.pid},
                    "session": asdict(fed) | {"file": str(input_file) if input_file else None},
                    "jobs": asdict(work),
                    "facts": learn.plain(facts),
                    "answers": learn.plain(answers),
                    "seconds": steps.seconds,
                }
            )
        else:
            report.learned(facts, len(fed.memory_ids))
            report.answers(answers, is_sample=input_file is None)
            if keep:
                found = {**places(workspace), "url": signet.url, "docs": f"{signet.url}/docs"}
                report.where({name: found[name] for name in SHOWN})
            report.next_steps(place.folders(workspace) if keep else [], asked)
        sys.stdout.flush()
    if not work.is_whole:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickstartOutcome:
    """Results of the session's jobs; `dead` has the reason of each dead job."""

    completed: int
    open: int
    waiting: int
    reasons: tuple[str, ...]
    dead: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Return whether no job failed; jobs that wait for a model do not count."""
        return not self.open and not self.dead


def _completed(signet: Signet, since: str) -> int:
    """Return how many jobs of each memory-related kind completed since an instant, at most JOBS each."""
    return sum(
        len(signet.jobs(kind=kind, status="completed", since=since, limit=JOBS))
        for kind in ("extract", "embed")
    )


def _work(signet: Signet, fed: "Fed", begun: str, steps: "Steps") -> QuickstartOutcome:
    """Show the progress of the jobs for these memories and their facts."""
    ids = frozenset(fed.memory_ids)

    def mine(job: Job) -> bool:
        is_new = bool(job["memory_id"]) and job["created_at"] >= begun
        return is_new or job["memory_id"] in ids

    first: list[int] = []
    with ProgressLine("Distilling", quiet=steps.quiet) as progress:

        def seen(found: Work) -> None:
            first.append(found.completed)
            done = found.completed - first[0]
            progress.count(done, done + found.open)

        last = signet.wait_for_jobs(mine, watch=seen, patience_seconds=PATIENCE_SECONDS)
    outcome = QuickstartOutcome(
        completed=_completed(signet, begun),
        open=last.open,
        waiting=last.waiting,
        reasons=last.reasons,
        dead=tuple(
            f"{job['job_type']}: {job['error']}"
            for job in signet.jobs(status="dead", limit=JOBS)
            if mine(job)
        ),
    )
    say = steps.done if outcome.is_whole else steps.lacking
    say("Jobs", outcome_text(outcome, is_paused=last.paused))
    return outcome


def outcome_text(outcome: QuickstartOutcome, *, is_paused: bool) -> str:
    """Return the outcome in words, with the remedy for each failure."""
    said = [f"{outcome.completed} done" if outcome.completed else "nothing new to do"]
    if is_paused and outcome.open:
        said.append(f"{outcome.open} waiting, the queue is paused")
    elif outcome.open:
        said.append(f"{outcome.open} still open")
    if outcome.waiting:
        said.append(
            f"{outcome.waiting} wait: {'; '.join(outcome.reasons) or 'a model is unreachable'}"
        )
    said += [f"dead: {why}" for why in outcome.dead]
    return ", ".join(said)


def _warm(signet: Signet) -> None:
    """Wait until the model is loaded, so that the questions are answered by meaning and not only by words."""
    deadline = time.monotonic() + WARM_SECONDS
    signet.recall("warm up", limit=1)
    while (
        not signet.status(parts=["embedding"])["embedding"]["available"]
        and time.monotonic() < deadline
    ):
        time.sleep(LOOK_SECONDS)


def _told(fed: "Fed", input_file: Path | None) -> str:
    source = str(input_file) if input_file else "the sample included in Signet"
    memories = output.count(len(fed.memory_ids), "memory")
    return f"{source}: {output.count(fed.turns, 'turn')}, {memories}"
