"""The evaluation data, and how its evidence judges a ranking."""

import gzip
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from signet import clock

DEPTHS = (5, 10, 25, 50)


class Item(TypedDict):
    """One text to store."""

    id: str
    text: str
    time: str
    who: str
    session: str


class Question(TypedDict):
    """One question, and its evidence in each store."""

    id: str
    text: str
    category: str
    gold: dict[str, list[str]]


class _File(TypedDict):
    """One conversation file."""

    id: str
    stores: dict[str, list[Item]]
    queries: list[Question]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The items and questions of one project."""

    id: str
    items: list[Item]
    questions: list[Question]


@dataclass(slots=True)
class Tally:
    """Sums over the questions of one set, store and ranking."""

    questions: int = 0
    milliseconds: float = 0.0
    recall: dict[int, float] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0.0))
    mrr: float = 0.0
    ndcg: float = 0.0

    def add(self, ranked: Sequence[str], gold: set[str], milliseconds: float) -> None:
        """Count one question."""
        self.questions += 1
        self.milliseconds += milliseconds
        for depth in DEPTHS:
            self.recall[depth] += len(gold & set(ranked[:depth])) / len(gold)
        places = [place for place, id_ in enumerate(ranked[: max(DEPTHS)]) if id_ in gold]
        self.mrr += 1 / (places[0] + 1) if places else 0.0
        gain = sum(1 / math.log2(place + 2) for place in places if place < 10)
        ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))
        self.ndcg += gain / ideal

    def figures(self) -> dict[str, float]:
        """Return the means, in percent (time in milliseconds)."""
        n = self.questions or 1
        return {
            **{f"R@{depth}": round(100 * self.recall[depth] / n, 1) for depth in DEPTHS},
            "MRR": round(100 * self.mrr / n, 1),
            "nDCG@10": round(100 * self.ndcg / n, 1),
            "ms": round(self.milliseconds / n, 1),
        }


@dataclass(slots=True)
class Floor:
    """Effect of the floor on ordinary pages: mean evidence kept, and results for other stores' questions."""

    kept: list[float] = field(default_factory=list)
    noise: list[int] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Return the share of evidence kept, in percent, and the results for a question of another store."""
        return {
            "kept": round(100 * sum(self.kept) / max(1, len(self.kept)), 1),
            "noise": round(sum(self.noise) / max(1, len(self.noise)), 2),
        }


def conversations(data: Path, set_: str, store: str) -> list[Conversation]:
    """Return a set's conversations with questions about a store."""
    found = []
    for raw in _files(data, set_):
        questions = [q for q in raw["queries"] if q["gold"].get(store)]
        if questions:
            found.append(Conversation(raw["id"], raw["stores"][store], questions))
    return found


def all_items(data: Path, set_: str, store: str) -> Iterator[tuple[str, list[Item]]]:
    """Yield name and items of every conversation of a set, with or without questions."""
    for raw in _files(data, set_):
        yield raw["id"], raw["stores"][store]


def _files(data: Path, set_: str) -> Iterator[_File]:
    files = sorted((data / set_).glob("*.json.gz"))
    if not files:
        raise FileNotFoundError(f"no conversations in {data / set_}: name the folder with --data")
    for file in files:
        with gzip.open(file, "rt") as stream:
            yield json.load(stream)


def instant(text: str) -> str | None:
    """Return an item's time for the API; None if unknown."""
    for read in (datetime.fromisoformat, lambda raw: datetime.strptime(raw, "%B-%d-%Y")):
        try:
            return clock.to_text(read(text).replace(tzinfo=UTC))
        except ValueError:
            continue
    return None
