"""Whether a request to forget by words takes exactly the memories that it means.

`forgetting.txt` holds 92 invented requests (`?`), the memories that each means (`+`), those that only share words or
parts of an identifier with it (`-`), and other spellings of its identifier (`~`), which a preview offers and does not
take. All 351 memories are in one store. The request words and rules were fitted on the requests with an odd number;
the others (`held`) judge.

`targets` is the share of the meant memories that are taken, `unrelated` how many others are.
"""

from dataclasses import dataclass, field
from pathlib import Path

from loadtests.quality import Client
from loadtests.report import Options, Report
from loadtests.stack import API, Stack

FILE = Path(__file__).parent.parent / "forgetting.txt"


@dataclass(slots=True)
class Request:
    """One request, the memories that it means and the other spellings that it has to offer."""

    text: str
    meant: set[str] = field(default_factory=set)
    offered: set[str] = field(default_factory=set)


def read() -> tuple[list[Request], list[str]]:
    """Return the requests and all memories."""
    requests: list[Request] = []
    memories: list[str] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        mark, text = line[:1], line[2:]
        if mark == "?":
            requests.append(Request(text))
        elif mark in ("+", "-", "~") and text:
            memories.append(text)
            if mark == "+":
                requests[-1].meant.add(text)
            elif mark == "~":
                requests[-1].offered.add(text)
    return requests, memories


def run(options: Options) -> Report:
    """Measure and report."""
    requests, memories = read()
    report = Report(("request", "taken", "wrong", "missed", "not offered"))
    with Stack(options.folder / "store") as stack:
        stack.start(API)
        client = Client(stack.port)
        for text in memories:
            client.post("/api/memory/remember", {"content": text})
        halves: tuple[list[tuple[int, int, int]], ...] = ([], [])
        for number, request in enumerate(requests, 1):
            answer = client.post("/api/memory/forget", {"query": request.text, "limit": 200})
            taken, offered = _texts(answer["candidates"]), _texts(answer["similar"])
            wrong, missed = taken - request.meant, request.meant - taken
            lacking = request.offered - offered
            halves[number % 2].append((len(taken & request.meant), len(request.meant), len(wrong)))
            if wrong or missed or lacking:
                report.rows.append(
                    [request.text, len(taken), *map(_line, (wrong, missed, lacking))]
                )
    for name, half in zip(("held", "fitted"), halves, strict=True):
        found, meant, wrong = (sum(one) for one in zip(*half, strict=True))
        report.figures |= {
            f"targets_{name}": found / meant,
            f"unrelated_{name}": float(wrong),
            f"requests_{name}": float(len(half)),
        }
    report.figures["memories"] = float(len(memories))
    return report


def _texts(rows: object) -> set[str]:
    assert isinstance(rows, list)
    return {row["content"] for row in rows}


def _line(texts: set[str]) -> str:
    return " | ".join(sorted(text[:40] for text in texts))
