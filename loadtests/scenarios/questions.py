"""Ask recall the questions of one file (`--data FILE`, JSON or .json.gz) and count how often it finds the answers.

A file of your own asks the running daemon of your workspace and changes nothing:

    {"queries": [{"text": "Where do we deploy?", "expected": ["eu-west"], "category": "work"}]}

`expected` holds IDs of memories, or texts that a memory must contain. A file with `stores` (the form of the evaluation
data) brings its memories along: the store with the most questions is saved in a temporary workspace.
"""

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from loadtests.evidence import Conversation
from loadtests.quality import Client, filled
from loadtests.report import Options, Report
from loadtests.stack import API, Stack

from signet.client import Signet

DEPTHS = (1, 3, 5, 10)
#: The shortest prefix of an ID that names a memory.
LEAST_ID = 8


class Question(NamedTuple):
    """A question and everything that answers it."""

    text: str
    expected: Sequence[str]
    category: str


class Answered(NamedTuple):
    """A question and the rank (from 0) of each expected thing; None if it was not found."""

    question: Question
    ranks: Sequence[int | None]

    def found(self, depth: int) -> list[bool]:
        """Return which expected things are among the first `depth` results."""
        return [rank is not None and rank < depth for rank in self.ranks]


#: Return recall's results for a question.
Ask = Callable[[str], Sequence[Mapping[str, Any]]]
#: Return whether a result is, or contains, an expected answer.
Match = Callable[[str, Mapping[str, Any]], bool]


def run(options: Options) -> Report:
    """Measure and report."""
    content = options.data.read_bytes()
    content = gzip.decompress(content) if options.data.suffix == ".gz" else content
    document = json.loads(content)
    report = Report(
        (
            "category",
            "questions",
            *(f"{kind}@{depth}" for kind in ("any", "all") for depth in DEPTHS),
        )
    )
    if "stores" in document:
        answered = _of_store(document, options)
    else:
        signet = Signet()
        questions = [_question(one, one["expected"]) for one in document["queries"]]
        answered = _answered(
            questions,
            lambda text: signet.recall(text, limit=DEPTHS[-1], touch=False)["results"],
            matches,
        )
    _tell(report, answered)
    report.notes.append(f"SHA-256 of {options.data.name}: {hashlib.sha256(content).hexdigest()}")
    return report


def _of_store(document: Mapping[str, Any], options: Options) -> list[Answered]:
    by_store = {
        name: [q for q in document["queries"] if q["gold"].get(name)] for name in document["stores"]
    }
    store = max(by_store, key=lambda name: len(by_store[name]))
    told = Conversation(options.data.name, document["stores"][store], by_store[store])
    with Stack(options.folder / "store", model=options.model) as stack:
        stack.start(API)
        items = filled(stack, [told])[told.id]
        client = Client(stack.port)
        client.await_model()
        return _answered(
            [_question(one, one["gold"][store]) for one in by_store[store]],
            lambda text: client.results(told.id, text, limit=DEPTHS[-1], touch=False),
            lambda expected, row: expected in items.get(row["id"], ()),
        )


def _question(one: Mapping[str, Any], expected: str | Sequence[str]) -> Question:
    wanted = [expected] if isinstance(expected, str) else expected
    return Question(one["text"], wanted, str(one.get("category") or ""))


def _answered(questions: Sequence[Question], ask: Ask, match: Match) -> list[Answered]:
    found = []
    for question in questions:
        results = [row for row in ask(question.text) if not row.get("supplementary")]
        ranks = [
            next((rank for rank, row in enumerate(results) if match(one, row)), None)
            for one in question.expected
        ]
        found.append(Answered(question, ranks))
    return found


def matches(expected: str, row: Mapping[str, Any]) -> bool:
    """Return whether a result has this ID, or contains this text in any case and spacing."""
    if len(expected) >= LEAST_ID and str(row["id"]).startswith(expected):
        return True
    return _plain(expected) in _plain(row["content"])


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _tell(report: Report, answered: Sequence[Answered]) -> None:
    groups = defaultdict(list)
    for one in answered:
        if one.question.category:
            groups[one.question.category].append(one)
    for category, some in [*sorted(groups.items()), ("all", answered)]:
        shares = [
            100 * sum(whole(one.found(depth)) for one in some) / max(len(some), 1)
            for whole in (any, all)
            for depth in DEPTHS
        ]
        report.rows.append((category, len(some), *shares))
    names = [f"{kind}_{depth}" for kind in ("any", "all") for depth in DEPTHS]
    report.figures |= dict(zip(names, shares, strict=True))
    for one in answered:
        if not any(one.found(DEPTHS[-1])):
            report.notes.append(f"not found: {one.question.text}")
