"""Measure whether an old decision still reaches a prompt after two later sessions merely asked the same.

`asked_twice.txt` holds cases: a session that decides something, two later ones that ask and get no answer, and the
prompt that opens a new session; in a third of the cases the two asked exactly the prompt. All sessions are of one
project, stored twice: with the later ones, and without. *answered*: what the session's start and first prompt inject
contains the decision; *first*: before any words of the sessions that ask. Halves: `tune` and `believe`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loadtests.own_day import runs
from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.scenarios import delivery
from loadtests.stack import API, SCHEDULER, WORKER, Stack
from loadtests.tasks import Decoy, Turn

CASES = Path(__file__).parent.parent / "asked_twice.txt"
COLUMNS = ("store", "half", "cases", "answered", "first", "verbatim answered", "verbatim first")
HALVES = ("tune", "believe")
_CASE = re.compile(r"^=== (tune|believe) (similar|verbatim)\nprompt: (.*)\nanswer: (.*)\n", re.M)
_ROLES = (("User: ", "user"), ("Assistant: ", "assistant"))


@dataclass(frozen=True, slots=True)
class Case:
    """A prompt, the texts of which one is the decision, and the sessions: the one that decides first."""

    half: str
    is_verbatim: bool
    prompt: str
    answers: list[str]
    sessions: list[list[Turn]]


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    cases = list(_cases())
    for store, most in (("alone", 1), ("asked", None)):
        with Stack(options.folder / store, model=options.model) as stack:
            project = options.folder / f"project-{store}"
            project.mkdir()
            stack.start(API, WORKER, SCHEDULER)
            # All decisions are older than all questions.
            columns = zip(*(case.sessions for case in cases), strict=True)
            stored = [turns for column in list(columns)[:most] for turns in column]
            talks: list[Decoy] = [{"id": "", "topic": "", "turns": turns} for turns in stored]
            delivery.hand_over(stack, project, talks, [])
            Client(stack.port, stack.workspace).await_model()
            _ask(report, stack, project, store, cases)
    return report


def _cases() -> Iterator[Case]:
    _, *parts = _CASE.split(CASES.read_text())
    for half, kind, prompt, answers, rest in zip(*(parts[at::5] for at in range(5)), strict=True):
        sessions = [_turns(one) for one in rest.split("--- session\n")[1:]]
        yield Case(half, kind == "verbatim", prompt, answers.split(" | "), sessions)


def _turns(text: str) -> list[Turn]:
    return [
        {"role": role, "text": line.removeprefix(mark)}
        for line in text.splitlines()
        for mark, role in _ROLES
        if line.startswith(mark)
    ]


def _ask(report: Report, stack: Stack, project: Path, store: str, cases: list[Case]) -> None:
    found: defaultdict[tuple[str, bool], list[tuple[bool, bool]]] = defaultdict(list)
    for number, case in enumerate(cases):
        session = delivery.Session(stack, project, f"asked-{number}")
        start = session.call("session-start", source="startup")
        text = session.call("user-prompt-submit", userPrompt=case.prompt)
        found[case.half, case.is_verbatim].append(_verdict(case, f"{start}\n{text}"))
        (project.parent / f"{store}.txt").open("a").write(
            f"=== {found[case.half, case.is_verbatim][-1]} {case.prompt}\n{text}\n\n"
        )
    for half in (*HALVES, ""):
        row: list[float] = []
        for kinds in ((False, True), (True,)):
            verdicts = [
                verdict
                for (of, is_verbatim), some in found.items()
                for verdict in some
                if half in ("", of) and is_verbatim in kinds
            ]
            row += [sum(column) / len(verdicts) for column in zip(*verdicts, strict=True)]
        ending = f"_{half}" if half else ""
        report.rows.append(
            [store, half or "both", sum(half in ("", case.half) for case in cases), *row]
        )
        report.figures[f"{store}_answered{ending}"] = row[0]
        report.figures[f"{store}_first{ending}"] = row[1]


def _verdict(case: Case, text: str) -> tuple[bool, bool]:
    """Return whether a text contains the decision, and whether it does so before words of later sessions."""
    places = [text.index(answer) for answer in case.answers if answer in text]
    if not places:
        return False, False
    before = set(runs(text[: min(places)]))
    asked = {run for turns in case.sessions[1:] for turn in turns for run in runs(turn["text"])}
    return True, not before & asked
