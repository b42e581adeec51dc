"""Whether a request to forget by words takes exactly the memories that it means.

`forgetting.txt` holds 92 invented requests (`?`), the memories that each means (`+`), those that only share words or
parts of an identifier with it (`-`), and other spellings of its identifier (`~`), which a preview offers and does not
take. All 351 memories are in one store. The request words and rules were fitted on the requests with an odd number; of
the even ones only rows that were taken wrongly were repaired.

`forgetting_people.txt` has the same form: the requests of invented people in six languages, mostly in other words than
their memories, by an author who had not read the rules. The least distances in `domain/memory/choose.py` were fitted on
its requests with an odd number.

`targets` is the share of the meant memories that are taken, `found` the share that is taken or shown, `unrelated` how
many others are taken, `shown` how many others are shown for each request.
"""

from dataclasses import dataclass, field
from pathlib import Path

from loadtests.quality import WHOLE, Client, await_vectors
from loadtests.report import Options, Report
from loadtests.stack import API, WORKER, Stack

FOLDER = Path(__file__).parent.parent
FILE, PEOPLE = FOLDER / "forgetting.txt", FOLDER / "forgetting_people.txt"


@dataclass(slots=True)
class Request:
    """One request, the memories that it means and the other spellings that it has to offer."""

    text: str
    meant: set[str] = field(default_factory=set)
    offered: set[str] = field(default_factory=set)


def read(file: Path = FILE) -> tuple[list[Request], list[str]]:
    """Return the requests and all memories."""
    requests: list[Request] = []
    memories: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
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
    report = Report(("request", "taken", "wrong", "missed", "not offered"))
    for prefix, file in (("", FILE), ("people_", PEOPLE)):
        requests, memories = read(file)
        with Stack(options.folder / file.stem, settings=WHOLE) as stack:
            stack.start(API, WORKER)
            client = Client(stack.port)
            for text in dict.fromkeys(memories):
                client.post("/api/memory/remember", {"content": text})
            await_vectors(stack)
            # The API closed the idle connection meanwhile.
            client = Client(stack.port)
            client.await_model()
            report.figures |= _asked(report, client, requests, prefix)
        report.figures[f"{prefix}memories"] = float(len(memories))
    return report


def _asked(
    report: Report, client: Client, requests: list[Request], prefix: str
) -> dict[str, float]:
    halves: tuple[list[tuple[int, ...]], ...] = ([], [])
    for number, request in enumerate(requests, 1):
        answer = client.post("/api/memory/forget", {"query": request.text, "limit": 200})
        taken, offered = _texts(answer["candidates"]), _texts(answer["similar"])
        wrong, missed = taken - request.meant, request.meant - taken
        lacking = (request.offered | missed) - offered
        found, others = len(request.meant) - len(missed - offered), offered - request.meant
        numbers = (len(request.meant), len(taken & request.meant), found, len(wrong), len(others))
        halves[number % 2].append(numbers)
        if wrong or missed or lacking:
            row = [request.text, len(taken), *map(_line, (wrong, missed, lacking))]
            report.rows.append(row)
    figures: dict[str, float] = {}
    for name, half in zip(("even", "odd"), halves, strict=True):
        meant, taken_, found, wrong_, others_ = (sum(one) for one in zip(*half, strict=True))
        figures |= {
            f"{prefix}targets_{name}": taken_ / meant,
            f"{prefix}found_{name}": found / meant,
            f"{prefix}unrelated_{name}": float(wrong_),
            f"{prefix}shown_{name}": others_ / len(half),
            f"{prefix}requests_{name}": float(len(half)),
        }
    return figures


def _texts(rows: object) -> set[str]:
    assert isinstance(rows, list)
    return {row["content"] for row in rows}


def _line(texts: set[str]) -> str:
    return " | ".join(sorted(text[:40] for text in texts))
