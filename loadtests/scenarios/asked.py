"""Measure how much evidence from earlier sessions reaches an agent that asks for it, by default, through the hooks.

Conversations of LoCoMo (two people) and BEAM (a person and an agent with long answers) are stored as sessions, each
as a Claude Code log, each conversation in a separate project. Then each question is the first prompt of a new
session, as a question and as a request. A piece of evidence (one turn) counts when the injected text contains a third
of its sentences. The floor: the turns that plain BM25 ranks first, whole, up to 4,000 characters.

Every second conversation is for tuning (as in `recall/turns.py`), the others for checking.
"""

import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean

from loadtests import measure
from loadtests.evidence import Conversation, Item, Question, conversations, instant
from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.scenarios import delivery
from loadtests.stack import API, SCHEDULER, WORKER, Stack

COLUMNS = ("set", "half", "questions", "told %", "BM25 %", "nothing %", "chars")
SETS = ("locomo", "beam-100k")
#: Questions per conversation, evenly drawn.
QUESTIONS = 60
#: Forms of a prompt.
QUESTION = "{}"
REQUEST = "I am writing the notes for our review and need one thing for them: {} Keep it short."
#: Share of a turn's text that counts as the evidence.
ENOUGH = 0.3
#: Shorter sentences match by chance.
LEAST_CHARS = 12

_BETWEEN = re.compile(r"(?<=[.!?])\s+|\n+")
_MARKS = re.compile(r"[^\w\s]")


@dataclass(slots=True)
class Tally:
    """Results, one value per question; shares between 0 and 1."""

    told: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    chars: list[int] = field(default_factory=list)


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    times: list[float] = []
    for name in SETS:
        talks = conversations(options.data, name, "turns")[: options.count]
        with Stack(options.folder / name) as stack:
            stack.start(API, WORKER, SCHEDULER)
            for talk in talks:
                hand_over(stack, project_of(options, talk), talk)
            delivery.await_rest(stack)
            Client(stack.port).await_model()
            for row, form in ((name, QUESTION), (f"{name} requests", REQUEST)):
                halves = {"tuned": Tally(), "believed": Tally()}
                for number, talk in enumerate(talks):
                    tally = halves["believed" if number % 2 else "tuned"]
                    _ask(stack, project_of(options, talk), talk, form, tally, times)
                for half, tally in halves.items():
                    _row(report, row, half, tally)
    report.figures["prompt_p95_ms"] = measure.percentile(times, 95)
    return report


def project_of(options: Options, talk: Conversation) -> Path:
    path = options.folder / f"project-{talk.id}"
    path.mkdir(exist_ok=True)
    return path


def hand_over(stack: Stack, project: Path, talk: Conversation) -> None:
    """End a session for each session of a conversation."""
    sessions: dict[str, list[Item]] = defaultdict(list)
    for item in talk.items:
        sessions[item["session"]].append(item)
    first = talk.items[0]["who"]
    for number, items in enumerate(sessions.values()):
        path = project.parent / f"{project.name}-{number}.jsonl"
        path.write_text("".join(_lines(items, first, project, number)))
        session = delivery.Session(stack, project, f"{talk.id}-{number}")
        session.call("session-start", source="startup")
        session.call("session-end", transcriptPath=str(path), reason="other")


def _lines(items: list[Item], first: str, project: Path, day: int) -> Iterator[str]:
    """Yield a session as a Claude Code log; the conversation's first speaker is the user."""
    for number, item in enumerate(items):
        at = instant(item["time"])
        begun = (
            datetime.fromisoformat(at) if at else delivery.FIRST_DAY + timedelta(days=day)
        ) + timedelta(minutes=number)
        role = "user" if item["who"] in ("user", first) else "assistant"
        line = {
            "type": role,
            "message": {"role": role, "content": item["text"]},
            "cwd": str(project),
            "timestamp": begun.isoformat().replace("+00:00", "Z"),
        }
        yield json.dumps(line) + "\n"


def _ask(
    stack: Stack,
    project: Path,
    talk: Conversation,
    form: str,
    tally: Tally,
    times: list[float],
) -> None:
    texts = {item["id"]: item["text"] for item in talk.items}
    floor = delivery.Bm25(list(texts.values()))
    for question in _drawn(talk.questions):
        evidence = [texts[one] for one in question["gold"]["turns"] if one in texts]
        prompt = form.format(question["text"])
        kind = "requests" if form == REQUEST else "asks"
        session = delivery.Session(stack, project, f"{kind}-{question['id']}")
        began = time.perf_counter()
        told = session.call("user-prompt-submit", userPrompt=prompt)
        times.append((time.perf_counter() - began) * 1_000)
        tally.told.append(_share(evidence, told))
        tally.floor.append(_share(evidence, floor.page(prompt, delivery.FLOOR_CHARS)))
        tally.chars.append(len(told))


def _drawn(questions: list[Question]) -> list[Question]:
    return questions[:: max(1, len(questions) // QUESTIONS)][:QUESTIONS]


def _share(evidence: list[str], told: str) -> float:
    """Return the share of pieces of evidence in a text."""
    known = _plain(told)
    return fmean([_said(text, known) >= ENOUGH for text in evidence])


def _said(text: str, known: str) -> float:
    """Return the share of a turn's characters whose sentences occur in a plain text."""
    sentences = [_plain(one) for one in _BETWEEN.split(text)]
    sentences = [one for one in sentences if len(one) >= LEAST_CHARS] or [_plain(text)]
    return sum(len(one) for one in sentences if one in known) / sum(map(len, sentences))


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text.lower()).split())


def _row(report: Report, name: str, half: str, tally: Tally) -> None:
    if not tally.told:
        return
    told, floor = 100 * fmean(tally.told), 100 * fmean(tally.floor)
    nothing = 100 * fmean([not chars for chars in tally.chars])
    report.rows.append([name, half, len(tally.told), told, floor, nothing, fmean(tally.chars)])
    report.figures[f"{name.replace(' ', '_')}_{half}"] = told
