"""Play the two months of six invented developers (`ownday/`), then ask as each and as their agents would.

Each has three to five repositories with commits, 24 to 35 Claude Code sessions read by backfill, Markdown notes in four
languages imported with `signet import`, and memories saved with `signet remember`; default settings. Then:

- *exact*: a word that occurs in one or two sources, searched alone: one of them must be the first result.
- *everyday*: questions; an answer must be among the first three results, with no superseded one before it. For a
  question about a time, these must all be of that time (and repository).
- *prompts*: a session in a repository starts and sends its first prompt; both texts together must contain what the
  prompt needs. *twice*: share of these sessions with a statement delivered twice. Six prompts of 18 need nothing.
- *starts*: decisions, rules and open items of the repository, each of which a session start must contain.
- *foreign*: delivered texts with words of another repository or of a note.

Questions are halved: `tune` may be looked at, `believe` judges. `--keep` also leaves `results.json`, every result with
its verdict.
"""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from loadtests import own_day
from loadtests.own_day import Sources
from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.scenarios.delivery import Session, await_rest
from loadtests.stack import API, SCHEDULER, WORKER, Stack, environment

from signet.paths import cache_home

COLUMNS = ("what", "whose", "right", "of", "share")
FIRST = 3
HALVES = ("tune", "believe")
#: Words in a row that make a repetition.
REPEATED = 8

Question = Mapping[str, Any]


class Day:
    """The store of the two months, and the verdicts on questions to it."""

    def __init__(self, stack: Stack, home: Path, data: Path) -> None:
        self._stack, self._home, self._data = stack, home, data
        self._today = datetime.now().astimezone().date()
        self._sources: Sources = own_day.make(home, self._today, data)
        self._client = Client(stack.port, stack.workspace)
        self.verdicts: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
        self.results: list[dict[str, object]] = []

    def fill(self) -> None:
        """Read the sessions, import the notes and save the memories, as a new user does."""
        self._signet("backfill")
        self._signet("import", str(self._home / "notes"))
        for one in own_day.saved(self._data):
            place = one.get("in")
            project = ["--project", str(own_day.folder(self._home, place))] if place else []
            self._signet("remember", one["text"], *project)
        await_rest(self._stack)
        self._client.post("/api/synthesis/trigger", {})
        await_rest(self._stack)
        self._client.await_model()

    def exact(self, question: Question) -> None:
        """Search for one word."""
        word = question["word"]
        holders = self._sources.containing(word)
        assert 1 <= len(holders) <= 2, (word, holders)
        results = self._results(word)[:1]
        right = any(word in row["content"] or self._of(row) & holders for row in results)
        self._judge("exact", question, right, results)

    def everyday(self, question: Question) -> None:
        """Ask one question."""
        window = question.get("window")
        first, last = self._window(window) if window else (question.get("at_day", 0), 0)
        at = self._today - timedelta(days=first)
        text = question["text"].format(month=f"{at:%B}", weekday=f"{at:%A}", date=at)
        results = self._results(text)[:FIRST]
        if window:
            days = [self._days(row, question.get("of")) for row in results]
            right = bool(days) and all(any(last >= day >= first for day in of) for of in days)
        else:
            page = "\n".join(str(row["content"]) for row in results)
            right = _has(page, question["answers"], question.get("old", ()))
        self._judge(question["kind"], question, right, results)
        self.verdicts["everyday", question["half"]].append(right)

    def start(self, question: Question, key: str) -> None:
        """Start one session."""
        session = Session(self._stack, own_day.folder(self._home, question["in"]), key)
        text = session.call("session-start", source=question["source"])
        for need in question["needs"]:
            self._judge("starts", question, _has(text, need, ()), text)
        self._delivered(question, [text])

    def prompt(self, question: Question, key: str) -> None:
        """Start one session and send its first prompt."""
        session = Session(self._stack, own_day.folder(self._home, question["in"]), key)
        texts = [session.call("session-start", source="startup")]
        texts.append(session.call("user-prompt-submit", userPrompt=question["text"]))
        if question["needs"]:
            self._judge("prompts", question, _has_all("\n".join(texts), question), texts[1])
        self._delivered(question, texts)
        counts = Counter(run for text in texts for run in own_day.runs(text, REPEATED))
        twice = [run for run, count in counts.items() if count > 1 and self._sources.of(run)]
        self._judge("twice", question, bool(twice), twice)

    def _delivered(self, question: Question, texts: Sequence[str]) -> None:
        repository = own_day.repository_of(question["in"])
        for text in filter(None, texts):
            found = sorted(self._sources.foreign(text, repository))
            self._judge("foreign", question, bool(found), {"of": found, "text": text})

    def _judge(self, what: str, question: Question, verdict: bool, given: object) -> None:
        self.verdicts[what, question["half"]].append(verdict)
        self.results.append({"what": what, "verdict": verdict, **question, "given": given})

    def _results(self, text: str) -> list[dict[str, Any]]:
        while "degraded" in (page := self._client.post("/api/memory/recall", {"query": text})):
            pass  # a busy machine was late with the question's vector
        results = page["results"]
        assert isinstance(results, list)
        fields = ("content", "score", "source", "source_id", "created_at")
        return [{name: row[name] for name in fields} for row in results]

    def _of(self, row: Mapping[str, Any]) -> set[str]:
        """Return the sources of a result."""
        named = {str(row["source_id"])} & self._sources.by_name.keys()
        return named or self._sources.of(row["content"])

    def _days(self, row: Mapping[str, Any], repository: str | None) -> list[int]:
        found = [self._sources.by_name[name] for name in self._of(row)]
        return [one.day for one in found if repository is None or repository in one.scopes]

    def _window(self, name: str) -> tuple[int, int]:
        """Return the first and last day of a window, in days before today."""
        if name == "last week":  # the last calendar week, or the last seven days
            return 1, self._today.weekday() + 7
        if name == "last month":
            last = self._today.replace(day=1) - timedelta(days=1)
            return self._ago(last), self._ago(last.replace(day=1))
        days = 1 if name == "yesterday" else int(name.split()[0])
        return days, days

    def _ago(self, day: date) -> int:
        return (self._today - day).days

    def _signet(self, *words: str) -> None:
        command = [sys.executable, "-m", "signet.cli.main", *words]
        env = environment(self._stack.workspace, self._stack.port)
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)


def run(options: Options) -> Report:
    """Measure and report."""
    report, cache = Report(COLUMNS), cache_home()
    verdicts: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for data in own_day.FOLDERS:
        folder = options.folder / data.name
        os.environ |= {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(cache.parent)}
        day = _played(folder, data, model=options.model)
        for (what, half), found in day.verdicts.items():
            for name in (half, data.name, "all"):
                verdicts[what, name] += found
    for what in dict.fromkeys(what for what, _ in verdicts):
        for name in (*HALVES, *(data.name for data in own_day.FOLDERS), "all"):
            found = verdicts[what, name]
            share = sum(found) / max(1, len(found))
            report.rows.append([what, name, sum(found), len(found), share])
            report.figures[what if name == "all" else f"{what}_{name}"] = share
    return report


def _played(folder: Path, data: Path, *, model: str | None) -> Day:
    """Return the verdicts of one developer's day, and leave all results in `results.json`."""
    (home := folder / "home").mkdir(parents=True)
    asked = json.loads((data / "questions.json").read_text())
    with Stack(folder / "ws", model=model) as stack:
        stack.start(API, WORKER, SCHEDULER)
        day = Day(stack, home, data)
        day.fill()
        for question in asked["exact"]:
            day.exact(question)
        for question in asked["everyday"]:
            day.everyday(question)
        for number, question in enumerate(asked["starts"]):
            day.start(question, f"start-{number}")
        for number, question in enumerate(asked["prompts"]):
            day.prompt(question, f"prompt-{number}")
    (folder / "results.json").write_text(json.dumps(day.results, ensure_ascii=False, indent=1))
    return day


def _has_all(text: str, question: Question) -> bool:
    return all(_has(text, need, question.get("old", ())) for need in question["needs"])


def _has(text: str, answers: Sequence[str], old: Sequence[str]) -> bool:
    """Return whether a text contains an answer, and no superseded one before it."""
    text = text.casefold()
    places = [text.find(answer.casefold()) for answer in answers]
    found = [place for place in places if place >= 0]
    return bool(found) and not any(one.casefold() in text[: min(found)] for one in old)
