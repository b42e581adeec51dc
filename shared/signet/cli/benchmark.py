"""`signet eval run`: questions whose answers are known, asked of recall.

A file holds `queries`: each has a `text`, what is `expected` (ids of memories, or words that one must hold), and
perhaps a `category`. They are asked of the memories of the workspace. A file with `stores` brings the memories along
(the form of public sets of conversations: `gold` names the items of a store that hold the evidence); these are saved in
a workspace of their own, which is gone afterwards.
"""

import contextlib
import gzip
import hashlib
import json
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from signet import clock
from signet.cli import output, work
from signet.cli.command import Output
from signet.cli.options import AgentOption
from signet.cli.output import Progress
from signet.client import Signet
from signet.config import manifest
from signet.errors import Invalid, SignetError
from signet.paths import Workspace

#: Places of an answer that are looked at.
DEPTHS = (1, 3, 5, 10)
#: A question right after many saves may wait for the model.
ANSWER_SECONDS = 60.0
#: How often is looked whether the vectors of saved items are there, and how long at most.
LOOK_SECONDS, VECTOR_SECONDS = 0.5, 1_800.0
#: Questions without an answer that a person is shown, and characters of each.
SHOWN, SHOWN_CHARS = 8, 100
#: The shortest beginning of an id that names a memory.
LEAST_ID = 8
_LABEL, _CELL = 24, 9
#: Of a workspace of its own: only what was saved is found, and no model is paid for it.
_PIPELINE = {"extraction": {"provider": "none"}, "predictor": {"enabled": False}}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what answers it: ids, or words that a memory must hold."""

    text: str
    expected: Sequence[str]
    category: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the place (from 0) of each thing expected; None beyond the last depth."""

    question: Question
    places: Sequence[int | None]

    def any_at(self, depth: int) -> bool:
        """Return whether one thing that was expected stands within so many places."""
        return any(place is not None and place < depth for place in self.places)

    def all_at(self, depth: int) -> bool:
        """Return whether everything that was expected does."""
        return all(place is not None and place < depth for place in self.places)


#: Returns the place of each thing expected among the results.
Judge = Callable[[Sequence[str], Sequence[Mapping[str, Any]]], list[int | None]]


def run(
    signet: Signet,
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="JSON; .gz is read, too.")
    ],
    store: Annotated[
        str | None,
        typer.Option(help="Of a file with stores, this one; default: the one asked of most."),
    ] = None,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Ask recall the questions of a file, and show how often it finds what answers them.

    A file of your own: {"queries": [{"text": "Where do we deploy?", "expected": ["eu-west"], "category": "work"}]}.
    `expected` holds ids of memories or words that stand in one; several are all wanted. Nothing counts as used.

    A file that brings memories along (`stores`) is tried in a workspace of its own, with your settings of embedding and
    else the default ones; saving them takes a while.

    Examples: signet eval run questions.json · signet eval run conv-26.json.gz --store=turns --json
    """
    content = _read(file)
    document = _parsed(content, file)
    if "stores" in document:
        store, questions = _of_store(document, store)
        items, embedding = document["stores"][store], _embedding(signet.target.home)
        with _filled(items, embedding, as_json=as_json) as (own, judge):
            asked = _asked(own, questions, judge, None, as_json=as_json)
    else:
        if store is not None:
            raise Invalid(f"{file.name} has no stores")
        questions = _own(document)
        asked = _asked(signet, questions, _places, agent, as_json=as_json)
    digest = hashlib.sha256(content).hexdigest()
    yield {
        "file": file.name,
        "sha256": digest,
        "store": store,
        "questions": len(asked),
        "all": _figures(asked),
        "categories": {name: _figures(some) for name, some in _by_category(asked).items()},
        "results": [
            {
                "text": one.question.text,
                "category": one.question.category,
                "expected": list(one.question.expected),
                "places": [None if place is None else place + 1 for place in one.places],
            }
            for one in asked
        ],
    }
    yield from _page(file.name, digest, asked)


def _read(file: Path) -> bytes:
    try:
        content = file.read_bytes()
        return gzip.decompress(content) if file.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise Invalid(f"{file} cannot be read: {error}") from error


def _parsed(content: bytes, file: Path) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError as error:
        raise Invalid(f"{file.name} is not JSON: {error}") from error
    document = {"queries": found} if isinstance(found, list) else found
    if not isinstance(document, dict) or not isinstance(document.get("queries"), list):
        raise Invalid(
            f'{file.name} has no "queries": a list of questions with "text" and "expected"'
        )
    return document


def _own(document: Mapping[str, Any]) -> list[Question]:
    return [
        _question(number, one, one.get("expected") if isinstance(one, dict) else None)
        for number, one in enumerate(document["queries"], start=1)
    ]


def _of_store(document: Mapping[str, Any], store: str | None) -> tuple[str, list[Question]]:
    """Return the store to ask of, and the questions with evidence in it."""
    stores = document["stores"]
    if not isinstance(stores, dict) or not stores:
        raise Invalid('"stores" must be an object of lists of items')
    questions: dict[str, list[Question]] = {name: [] for name in stores}
    for number, one in enumerate(document["queries"], start=1):
        gold = one.get("gold") if isinstance(one, dict) else None
        for name, items in (gold if isinstance(gold, dict) else {}).items():
            if name in questions and items:
                questions[name].append(_question(number, one, items))
    chosen = store or max(questions, key=lambda name: len(questions[name]))
    if chosen not in questions:
        raise Invalid(f"There is no store {chosen}; there are: {', '.join(sorted(questions))}")
    return chosen, questions[chosen]


def _question(number: int, one: object, expected: object) -> Question:
    wanted = [expected] if isinstance(expected, str) else expected
    if not isinstance(one, dict) or not isinstance(one.get("text"), str) or not one["text"].strip():
        raise Invalid(f'Question {number} has no "text"')
    if (
        not isinstance(wanted, list)
        or not wanted
        or not all(isinstance(each, str) and each.strip() for each in wanted)
    ):
        raise Invalid(f'Question {number} has no "expected": a text or a list of texts')
    return Question(one["text"], wanted, str(one.get("category") or ""))


def _asked(
    signet: Signet,
    questions: Sequence[Question],
    judge: Judge,
    agent: str | None,
    *,
    as_json: bool,
) -> list[Asked]:
    found = []
    with Progress("Asking", quiet=as_json, unit="questions") as progress:
        for done, one in enumerate(questions):
            progress.count(done, len(questions))
            answer = signet.recall(one.text, limit=DEPTHS[-1], touch=False, agent_id=agent)
            results = [row for row in answer["results"] if not row.get("supplementary")]
            found.append(Asked(one, judge(one.expected, results)))
    return found


def _places(expected: Sequence[str], results: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """Return the first place of each id, or of the words of each text. Pure."""
    return [
        next((place for place, row in enumerate(results) if _answers(one, row)), None)
        for one in expected
    ]


def _answers(expected: str, row: Mapping[str, Any]) -> bool:
    if len(expected) >= LEAST_ID and str(row["id"]).startswith(expected):
        return True
    return _plain(expected) in _plain(row["content"])


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@contextlib.contextmanager
def _filled(items: object, embedding: object, *, as_json: bool) -> Iterator[tuple[Signet, Judge]]:
    """Give a client of a workspace that holds the items, and what knows them in results; both are gone afterwards."""
    from signet.daemon import control, ready

    if not isinstance(items, list) or not all(isinstance(one, dict) for one in items):
        raise Invalid("A store must be a list of items")
    workspace = Workspace(Path(tempfile.mkdtemp(prefix="signet-eval-")))
    try:
        settings = {"embedding": embedding, "memory": {"pipelineV2": _PIPELINE}}
        (workspace.root / "agent.yaml").write_text(json.dumps(settings), encoding="utf-8")
        with output.Passing(quiet=as_json) as passing:
            control.start(
                workspace, ready.free_port(), tell=lambda why: passing.show(f"Not ready yet: {why}")
            )
        from signet.cli.connect import client

        signet = client(str(workspace.root), timeout_seconds=ANSWER_SECONDS)
        named = _save(signet, items, as_json=as_json)

        def judge(
            expected: Sequence[str], results: Sequence[Mapping[str, Any]]
        ) -> list[int | None]:
            ranked = list(
                dict.fromkeys(item for row in results for item in named.get(row["id"], [row["id"]]))
            )
            return [ranked.index(one) if one in ranked else None for one in expected]

        yield signet, judge
    finally:
        control.stop(workspace)
        shutil.rmtree(workspace.root, ignore_errors=True)


def _embedding(home: Path | None) -> object:
    """Return how the workspace asks for vectors to be made; None for the default."""
    file = manifest.find(Workspace(home)) if home else None
    return manifest.parse(file.read_bytes(), file.name).get("embedding") if file else None


def _save(
    signet: Signet, items: Sequence[Mapping[str, Any]], *, as_json: bool
) -> dict[str, list[str]]:
    """Save items, wait for their vectors, and return which items each memory holds."""
    named: dict[str, list[str]] = {}
    with Progress("Saving", quiet=as_json, unit="items") as progress:
        for done, one in enumerate(items):
            progress.count(done, len(items))
            answer = signet.remember(
                str(one.get("text") or ""),
                who=str(one["who"]) if one.get("who") else None,
                source_type="session",
                source_id=str(one.get("session") or "") or None,
                ordinal=done,
                created_at=one["time"] if clock.parsed(str(one.get("time") or "")) else None,
            )
            for memory_id in answer.get("ids") or [answer["id"]]:
                named.setdefault(str(memory_id), []).append(str(one.get("id")))
    deadline = time.monotonic() + VECTOR_SECONDS
    with Progress("Indexing", quiet=as_json) as progress:
        most = 0
        while (left := work.left(signet.pipeline_status()).open) and time.monotonic() < deadline:
            most = max(most, left)
            progress.count(most - left, most)
            time.sleep(LOOK_SECONDS)
    if left:
        raise SignetError("The saved items are not indexed yet; see: signet jobs")
    return named


def _by_category(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for one in asked:
        if one.question.category:
            found.setdefault(one.question.category, []).append(one)
    return dict(sorted(found.items()))


def _figures(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the shares of questions, 0..1, of which any, and all, that was expected is within so many places."""
    total = max(len(asked), 1)
    figures: dict[str, float] = {"questions": len(asked)}
    for depth in DEPTHS:
        figures[f"any@{depth}"] = round(sum(one.any_at(depth) for one in asked) / total, 4)
        figures[f"all@{depth}"] = round(sum(one.all_at(depth) for one in asked) / total, 4)
    return figures


def _page(name: str, digest: str, asked: Sequence[Asked]) -> Iterator[str]:
    yield f"{output.plain(name)} ({digest[:12]}): {output.count(len(asked), 'question')}"
    if not asked:
        return
    heads = [f"{kind}@{depth}" for kind in ("any", "all") for depth in DEPTHS]
    yield f"{'':<{_LABEL}}" + "".join(f"{head:<{_CELL}}" for head in heads).rstrip()
    rows = [*_by_category(asked).items(), ("all questions", asked)]
    for category, some in rows:
        figures = _figures(some)
        cells = "".join(f"{figures[head]:<{_CELL}.0%}" for head in heads)
        yield f"{output.plain(category)[: _LABEL - 2]:<{_LABEL}}{cells}".rstrip()
    missed = [one for one in asked if not one.any_at(DEPTHS[-1])]
    if missed:
        yield ""
        yield f"Not found among the first {DEPTHS[-1]}:"
    for one in missed[:SHOWN]:
        yield f"  {output.plain(one.question.text)[:SHOWN_CHARS]}"
    if len(missed) > SHOWN:
        yield f"  and {len(missed) - SHOWN} more (--json shows all)"
