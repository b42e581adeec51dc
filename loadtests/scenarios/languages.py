"""Measure whether questions in other languages find their answers, by words alone or with a model (`--model`).

The files of `loadtests/languages` contain sentences with questions, written before any measurement. All sentences are
saved over HTTP in a new store, without vectors unless a model is named, and every question asks for a default page.
The first half of each file is for tuning, the second one for checking.
"""

import json
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from loadtests.fill import NO_MODEL
from loadtests.quality import Client, await_vectors
from loadtests.report import Options, Report
from loadtests.stack import API, WORKER, Stack

FOLDER = Path(__file__).parent.parent / "languages"
#: Number of first results that count.
PLACES = 3
COLUMNS = ("language", "tuned: in the top 3", "believed: in the top 3", "all", "no result")


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(COLUMNS)
    read = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    found: list[bool] = []
    settings = NO_MODEL if options.model is None else ""
    with Stack(options.folder / "ws", settings=settings, model=options.model) as stack:
        stack.start(API)
        for one in read:
            for said, _ in one["pairs"]:
                _post(stack, "/api/memory/remember", {"content": said})
        if options.model is not None:
            stack.start(WORKER)
            await_vectors(stack)
            stack.stop(WORKER)
            Client(stack.port).await_model()
        for one in read:
            places = [_place(stack, said, asked) for said, asked in one["pairs"]]
            for (said, asked), place in zip(one["pairs"], places, strict=True):
                if place is None or place >= PLACES:
                    report.notes.append(f"{one['language']}: {asked} ({place}) {said}")
            hits = [place is not None and place < PLACES for place in places]
            half = len(hits) // 2
            shares = [_share(hits[:half]), _share(hits[half:]), _share(hits)]
            row = (f"{share:.0%}" for share in shares)
            report.rows.append((one["language"], *row, places.count(None)))
            report.figures[f"{one['language'].lower()}_top_3"] = shares[-1]
            report.figures[f"{one['language'].lower()}_believed"] = shares[1]
            found += hits
    report.figures["top_3"] = _share(found)
    return report


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits)


def _place(stack: Stack, said: str, asked: str) -> int | None:
    """Return the answer's place on the page, from 0, None if it is missing."""
    answer = _post(stack, "/api/memory/recall", {"query": asked})
    results = answer["results"]
    assert isinstance(results, list)
    texts = [result["content"] for result in results]
    return texts.index(said) if said in texts else None


def _post(stack: Stack, path: str, body: dict[str, object]) -> dict[str, object]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{stack.port}{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        answer: dict[str, object] = json.load(response)
    return answer
