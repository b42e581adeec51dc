"""Measure whether corrections in everyday language replace the statement that they correct, by default settings.

`corrections.toml` holds invented statements, each with a later one that corrects it, and pairs of statements that both
hold. They are saved or said in sessions of one project, among 300 other memories (of `forgetting.txt`): a third of
them in the same project, a third in another one, and half of them newer. Each half of the cases has its own store;
only the half `believe` judges.

Each correction has a question in its words, a paraphrase, a question about the past and a task for a coding session.
All but the third are also the first prompt of a new session. By half, as shares:

| figure | what it counts |
| --- | --- |
| `newer_first` | questions whose page shows the newer statement before the older one |
| `newer_first_paraphrase` | the same for the paraphrases that find either |
| `found_page`, `found_prompt` | paraphrases whose page, or session start and prompt, shows the newer statement |
| `either_page` | paraphrases whose page shows one of the two |
| `task_found` | tasks whose session start and prompt show it |
| `stale` | prompts that receive the older statement without a mark that it has been replaced |
| `only_old` | prompts that receive it while neither session start nor prompt show the newer one |
| `start_stale` | session starts that show it without a mark |
| `past` | questions about the past with the older statement, or a newer one that names it, first and in the top 3 |
| `parts_kept` | other facts of a partly corrected statement that are still found, as valid |
| `hidden` | pairs that are no correction, with a statement not found, or marked as replaced |

`english_` figures leave out the other languages, whose paraphrases the default model rarely finds.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import NotRequired, TypedDict

from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.scenarios import delivery, forgetting, said
from loadtests.stack import API, SCHEDULER, WORKER, Stack
from loadtests.tasks import Decoy

FILE = Path(__file__).parent.parent / "corrections.toml"
HALVES = ("tune", "believe")
FIGURES = (
    *("newer_first", "newer_first_paraphrase", "found_page", "either_page", "found_prompt"),
    *("task_found", "stale", "only_old", "start_stale", "past", "parts_kept", "hidden"),
)
COLUMNS = ("half", "language", "form", "cases", *FIGURES)
OTHERS = 300
#: Number of first results that count.
FIRST = 3
#: Place of a statement that is not on the page.
NOWHERE = 99
#: Times of saving; sessions are dated from `delivery.FIRST_DAY` on.
BEFORE, AFTER, LATEST = "2025-11-10T10:00:00Z", "2026-05-11T10:00:00Z", "2026-08-10T10:00:00Z"
#: What a line, or the heading above it, says about a replaced statement.
MARK = re.compile(r"superseded|replaced|corrected|outdated|until (\w+ )?\d", re.IGNORECASE)

Rows = Sequence[Mapping[str, object]]


class Case(TypedDict):
    """Two statements; see `corrections.toml`."""

    form: str
    language: NotRequired[str]
    project: NotRequired[bool]
    new_elsewhere: NotRequired[bool]
    old: str
    new: str
    was: str
    now: str
    before: NotRequired[str]
    question: NotRequired[str]
    paraphrase: NotRequired[str]
    past: NotRequired[str]
    task: NotRequired[str]
    keep: NotRequired[list[tuple[str, str]]]
    questions: NotRequired[tuple[str, str]]


@dataclass(slots=True)
class Store:
    """A running store: its statements' memory IDs and session keys, and the texts of other memories."""

    stack: Stack
    project: Path
    keys: dict[str, set[str]] = field(default_factory=dict)
    others: Sequence[str] = ()
    sessions: int = 0

    def save(self, text: str, project: str | None, at: str) -> None:
        """Save a memory."""
        client = Client(self.stack.port, self.stack.workspace)
        body = {"content": text, "project": project, "createdAt": at}
        answer = client.post("/api/memory/remember", body)
        ids = answer.get("ids")
        self.keys[text] = set(ids) if isinstance(ids, list) else {str(answer["id"])}

    def page(self, question: str) -> Rows:
        """Return the results of a default page, best first."""
        client = Client(self.stack.port, self.stack.workspace)
        results = client.post("/api/memory/recall", {"query": question})["results"]
        assert isinstance(results, list)
        return results

    def place(self, rows: Rows, text: str) -> int:
        """Return the first place of a statement, or of a fact or passage from it."""
        own = self.keys[text]
        places = (at for at, row in enumerate(rows) if {row["id"], row["source_id"]} & own)
        return next(places, NOWHERE)

    def session(self, prompt: str) -> tuple[str, str]:
        """Return the texts that a new session receives at its start and for its first prompt."""
        self.sessions += 1
        session = delivery.Session(self.stack, self.project, f"asks-{self.sessions}")
        start = session.call("session-start", source="startup")
        return start, session.call("user-prompt-submit", userPrompt=prompt)

    def lines(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield the lines of an injected text that are no other memory's, and whether each has a mark."""
        heading = ""
        for line in text.splitlines():
            if line.startswith("#"):
                heading = line
            if not any(other in line for other in self.others):
                yield line.lower(), bool(MARK.search(line) or MARK.search(heading))


class Tally:
    """Results by form of the cases and figure."""

    def __init__(self, report: Report, half: str) -> None:
        self._report, self._half = report, half
        self.results: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self.cases: dict[tuple[str, str], int] = defaultdict(int)

    def add(self, case: Case, figure: str, value: bool, *seen: object) -> None:
        """Count one result, and describe a bad one."""
        key = "english" if "language" not in case else "other", case["form"]
        self.results[key][figure].append(value)
        if value is (figure in ("stale", "only_old", "start_stale", "hidden")):
            note = " | ".join(map(str, (self._half, figure, case["was"], case["now"], *seen)))
            self._report.notes.append(" ".join(note.split()))

    def count(self, case: Case) -> None:
        """Count a case."""
        self.cases["english" if "language" not in case else "other", case["form"]] += 1


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    data = tomllib.loads(FILE.read_text("utf-8"))
    for number, half in enumerate(HALVES):
        corrections: list[Case] = data["correction"][number::2]
        distinct: list[Case] = data["distinct"][number::2]
        tally = Tally(report, half)
        with Stack(options.folder / half) as stack:
            store = _fill(stack, options.folder / f"project-{half}", [*corrections, *distinct])
            for case in corrections:
                tally.count(case)
                _ask_pages(store, case, tally)
                _ask_prompts(store, case, tally)
            for case in distinct:
                tally.count(case)
                _ask_both(store, case, tally)
        _report(report, half, tally)
    return report


def _fill(stack: Stack, project: Path, cases: Sequence[Case]) -> Store:
    """Save everything in the order in which it was said."""
    project.mkdir()
    elsewhere = f"{project}-other"
    places = (str(project), elsewhere, None)
    stack.start(API, WORKER, SCHEDULER)
    others = forgetting.read()[1][:OTHERS]
    store = Store(stack, project, others=others)
    for number, text in enumerate(others):
        store.save(text, places[number % 3], LATEST if number % 2 else BEFORE)
    talks: list[Decoy] = []
    for which, at in (("old", BEFORE), ("new", AFTER)):
        for case in cases:
            text = case["old"] if which == "old" else case["new"]
            if re.search(r"^User: ", text, re.MULTILINE):
                # The session names of `hand_over`.
                store.keys[text] = {f"talk-{len(talks)}"}
                talks.append(said.talk(case["was"], text))
                continue
            place = str(project) if case.get("project") else None
            if which == "new" and case.get("new_elsewhere"):
                place = elsewhere
            store.save(text, place, at)
    delivery.hand_over(stack, project, talks, [])
    Client(stack.port, stack.workspace).await_model()
    return store


def _ask_pages(store: Store, case: Case, tally: Tally) -> None:
    def places(question: str) -> tuple[int, int, Rows]:
        rows = store.page(question)
        return store.place(rows, case["old"]), store.place(rows, case["new"]), rows

    old, new, rows = places(case["question"])
    tally.add(case, "newer_first", new < old, case["question"], _shown(rows))
    old, new, rows = places(case["paraphrase"])
    seen = case["paraphrase"], _shown(rows)
    if old != new:
        tally.add(case, "newer_first_paraphrase", new < old, *seen)
    tally.add(case, "found_page", new < NOWHERE, *seen)
    tally.add(case, "either_page", min(old, new) < NOWHERE, *seen)
    old, new, rows = places(case["past"])
    names_both = new < FIRST and case.get("before", "\0") in str(rows[new]["content"])
    is_first = old < min(new, FIRST) or names_both
    tally.add(case, "past", is_first, case["past"], _shown(rows))
    for value, question in case.get("keep", ()):
        rows = store.page(question)
        is_kept = any(
            value in str(row["content"])
            and not row.get("superseded")
            and min(store.place([row], case["old"]), store.place([row], case["new"])) == 0
            for row in rows[:FIRST]
        )
        tally.add(case, "parts_kept", is_kept, question, _shown(rows))


def _ask_prompts(store: Store, case: Case, tally: Tally) -> None:
    was, now = case["was"].lower(), case["now"].lower()

    def read(text: str) -> tuple[bool, bool, bool]:
        """Return whether a text shows the older statement, shows it without a mark, and shows the newer one."""
        lines = list(store.lines(text))
        old = [is_marked for line, is_marked in lines if was in line and now not in line]
        return bool(old), False in old, any(now in line for line, _ in lines)

    for kind in ("question", "paraphrase", "task"):
        prompt = case[kind]
        start, answer = store.session(prompt)
        has_old, is_stale, has_new = read(answer)
        _, starts_stale, starts_new = read(start)
        tally.add(case, "stale", is_stale, prompt, answer)
        tally.add(case, "only_old", has_old and not (has_new or starts_new), prompt, answer)
        if kind == "question":
            tally.add(case, "start_stale", starts_stale)
        else:
            figure = "found_prompt" if kind == "paraphrase" else "task_found"
            tally.add(case, figure, has_new or starts_new, prompt, answer)


def _ask_both(store: Store, case: Case, tally: Tally) -> None:
    for question, text, part in zip(
        case["questions"], (case["old"], case["new"]), (case["was"], case["now"]), strict=True
    ):
        rows = store.page(question)
        place = store.place(rows, text)
        is_marked = place < NOWHERE and not rows[place].keys().isdisjoint(("superseded", "newer"))
        _, answer = store.session(question)
        is_marked |= any(mark for line, mark in store.lines(answer) if part.lower() in line)
        tally.add(case, "hidden", place == NOWHERE or is_marked, question, _shown(rows), answer)


def _shown(rows: Rows) -> str:
    return " / ".join(str(row["content"])[:90] for row in rows[:FIRST])


def _report(report: Report, half: str, tally: Tally) -> None:
    for (language, form), results in sorted(tally.results.items()):
        cells = [fmean(results[figure]) if results[figure] else "-" for figure in FIGURES]
        report.rows.append([half, language, form, tally.cases[language, form], *cells])
    for prefix, languages in (("", ("english", "other")), ("english_", ("english",))):
        for figure in FIGURES:
            values = [
                value
                for (language, _), results in tally.results.items()
                if language in languages
                for value in results[figure]
            ]
            report.figures[f"{prefix}{figure}_{half}"] = fmean(values)
