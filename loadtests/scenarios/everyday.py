"""Measure how well people find their own notes, on an ordinary page with default settings.

`everyday/*.json` are invented people: their notes, and questions that share a word with the answer (natural), share
no content word (paraphrase), or have no answer (absent). Half of the people are for tuning, the others for checking
(today's constants were chosen with a look at both). Each is a separate workspace, queried over HTTP with default
settings and then by words alone; with the evaluation data (`--data`) also among 2,000 other memories (turns of
LoCoMo).

Prints per language, half and store size: the share of natural questions and paraphrases whose answer (or a fact
derived from it) is among the first three results, and the results for an absent question. The judged figures are
those of the English-speaking people, alone in their store.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NotRequired, TypedDict

from loadtests.evidence import all_items
from loadtests.quality import Client, await_vectors
from loadtests.report import Options, Report
from loadtests.stack import API, WORKER, Stack

FOLDER = Path(__file__).parent.parent / "everyday"
COLUMNS = ("people", "half", "store", "by", "natural", "paraphrase", "absent", "questions")
FIRST = 3
OTHERS = 2_000
WORDS_ALONE = "embedding: {provider: none}\n"


class Memory(TypedDict):
    """A note, and the questions that it answers."""

    text: str
    natural: NotRequired[list[str]]
    paraphrase: NotRequired[list[str]]


class Person(TypedDict):
    """A person's notes, and questions without an answer."""

    language: str
    half: str
    memories: list[Memory]
    absent: list[str]


@dataclass(slots=True)
class Tally:
    """Whether each answer was among the first results, and the number of results for absent questions."""

    natural: list[bool] = field(default_factory=list)
    paraphrase: list[bool] = field(default_factory=list)
    absent: list[int] = field(default_factory=list)


Tallies = dict[tuple[str, str, str, str], Tally]


def people() -> dict[str, Person]:
    """Return the invented people by name."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def run(options: Options) -> Report:
    """Measure and report."""
    tallies: Tallies = {}
    others = options.folder / "others"
    if (options.data / "locomo").exists():
        with Stack(others, model=options.model) as stack:
            stack.start(API, WORKER)
            _save(stack, _turns(options.data))
    for name, person in people().items():
        for size in ("alone", "beside") if others.exists() else ("alone",):
            folder = options.folder / f"{name}-{size}"
            if size == "beside":
                shutil.copytree(others, folder)
            _measure(folder, person, size, tallies, options.model)
    return _report(tallies)


def _measure(folder: Path, person: Person, size: str, tallies: Tallies, model: str | None) -> None:
    with Stack(folder, model=model) as stack:
        stack.start(API, WORKER)
        ids = _save(stack, [memory["text"] for memory in person["memories"]])
        stack.stop(WORKER)
        for way in ("meaning", "words"):
            if way == "words":
                stack.stop(API)
                (folder / "agent.yaml").write_text(WORDS_ALONE)
                stack.start(API)
            client = Client(stack.port)
            if way == "meaning":
                client.await_model()
            key = (person["language"], person["half"], size, way)
            _ask(client, person, ids, tallies.setdefault(key, Tally()))


def _save(stack: Stack, texts: Sequence[str]) -> list[set[str]]:
    """Save texts, wait for their jobs, and return the IDs of each."""
    client = Client(stack.port)
    found = []
    for text in texts:
        answer = client.post("/api/memory/remember", {"content": text})
        ids = answer.get("ids")
        found.append(set(ids) if isinstance(ids, list) else {str(answer["id"])})
    await_vectors(stack)
    return found


def _turns(data: Path) -> list[str]:
    every = [item["text"] for _, items in all_items(data, "locomo", "turns") for item in items]
    return [every[place * len(every) // OTHERS] for place in range(OTHERS)]


def _ask(client: Client, person: Person, ids: Sequence[set[str]], tally: Tally) -> None:
    for memory, own in zip(person["memories"], ids, strict=True):
        for questions, found in (
            (memory.get("natural", []), tally.natural),
            (memory.get("paraphrase", []), tally.paraphrase),
        ):
            for question in questions:
                first = _results(client, question)[:FIRST]
                found.append(any(row["id"] in own or row["source_id"] in own for row in first))
    tally.absent += [len(_results(client, question)) for question in person["absent"]]


def _results(client: Client, question: str) -> list[Mapping[str, object]]:
    results = client.post("/api/memory/recall", {"query": question})["results"]
    assert isinstance(results, list)
    return [row for row in results if not row.get("supplementary")]


def _report(tallies: Tallies) -> Report:
    report = Report(COLUMNS)
    for key, tally in sorted(tallies.items()):
        asked = len(tally.natural) + len(tally.paraphrase) + len(tally.absent)
        report.rows.append([*key, *_means(tally), asked])
    for size, way, prefix in (
        ("alone", "meaning", ""),
        ("beside", "meaning", "beside_"),
        ("alone", "words", "words_"),
    ):
        for half in ("", "tune", "believe"):
            whole = _sum(
                tally
                for (language, of, store, by), tally in tallies.items()
                if (language, store, by) == ("en", size, way) and half in ("", of)
            )
            if whole.natural:
                names = ("natural", "paraphrase", "absent")
                figures = zip(names, _means(whole), strict=True)
                ending = f"_{half}" if half else ""
                report.figures |= {f"{prefix}{name}{ending}": value for name, value in figures}
    return report


def _sum(tallies: Iterator[Tally]) -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.natural += tally.natural
        whole.paraphrase += tally.paraphrase
        whole.absent += tally.absent
    return whole


def _means(tally: Tally) -> list[float]:
    lists: tuple[Sequence[int], ...] = (tally.natural, tally.paraphrase, tally.absent)
    return [sum(values) / len(values) for values in lists]
