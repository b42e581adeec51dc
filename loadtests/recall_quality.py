"""How much of the known evidence recall brings back, beside what simpler rankings bring back.

Every conversation of the evaluation data becomes a new database (one for each store: turns, facts, sessions …),
every question of it a recall. Printed per set and store: R@k (mean share of a question's evidence found in the
first k), MRR (of the first evidence), nDCG@10, in percent; then all of it as JSON.

    python loadtests/recall_quality.py --data ../shared/data [--sets locomo beam-100k lme-mini] [--json FILE]

Vectors come from the native model and are kept in `--cache`; without the model, keyword rankings alone run.
"""

import argparse
import gzip
import hashlib
import json
import math
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypedDict

from signet import clock, ids
from signet.db import Database, ReadTx, WriteTx, fts, migrate
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.embeddings import passages
from signet.domain.embeddings import store as embeddings
from signet.domain.memory import dates
from signet.domain.memory.normalize import normalize
from signet.domain.recall import keyword, scope, vector
from signet.domain.recall.models import Fusion, Query, RecallSettings
from signet.domain.recall.recall import recall
from signet.providers.native.encoder import NativeEmbedder

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DEPTHS = (5, 10, 25, 50)
MODEL = NativeEmbedder.model
CACHE = Path(tempfile.gettempdir()) / "signet-recall-vectors.sqlite"
READER = Reader(policy=ReadPolicy.SHARED)


class Item(TypedDict):
    """One thing to store."""

    id: str
    text: str
    time: str
    who: str
    session: str


class Question(TypedDict):
    """One recall, and what it should find in each store."""

    id: str
    text: str
    category: str
    gold: dict[str, list[str]]


class Embed(Protocol):
    """Turns texts into vectors."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text."""
        ...


class Cache:
    """Vectors on disk by the hash of their text."""

    def __init__(self, path: Path, embedder: Embed | None) -> None:
        self._db = sqlite3.connect(path)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (hash TEXT PRIMARY KEY, vector BLOB)")
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> list[bytes] | None:
        """Return a vector for each text; None when one is unknown and there is no model to ask."""
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        found = {key: self._one(key) for key in keys}
        unknown = {k: t for k, t in zip(keys, texts, strict=True) if found[k] is None}
        if unknown:
            if self._embedder is None:
                return None
            made = self._embedder.embed(list(unknown.values()))
            rows = list(zip(unknown, made, strict=True))
            self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            self._db.commit()
            found.update(rows)
        return [vector for key in keys if (vector := found[key]) is not None]

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _one(self, key: str) -> bytes | None:
        row = self._db.execute("SELECT vector FROM vectors WHERE hash = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])


@dataclass(slots=True)
class Tally:
    """Sums over the questions of one set, store and ranking."""

    questions: int = 0
    cpu_seconds: float = 0.0
    recall: dict[int, float] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0.0))
    mrr: float = 0.0
    ndcg: float = 0.0

    def add(self, ranked: Sequence[str], gold: set[str], cpu_seconds: float) -> None:
        """Count one question."""
        self.questions += 1
        self.cpu_seconds += cpu_seconds
        for depth in DEPTHS:
            self.recall[depth] += len(gold & set(ranked[:depth])) / len(gold)
        places = [place for place, id_ in enumerate(ranked) if id_ in gold]
        self.mrr += 1 / (places[0] + 1) if places else 0.0
        gain = sum(1 / math.log2(place + 2) for place in places if place < 10)
        ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))
        self.ndcg += gain / ideal

    def figures(self) -> dict[str, float]:
        """Return the means, in percent (CPU in milliseconds)."""
        n = self.questions or 1
        return {
            **{f"R@{depth}": round(100 * self.recall[depth] / n, 1) for depth in DEPTHS},
            "MRR": round(100 * self.mrr / n, 1),
            "nDCG@10": round(100 * self.ndcg / n, 1),
            "cpu_ms": round(1000 * self.cpu_seconds / n, 2),
        }


Ranking = Callable[[ReadTx, str, bytes | None], list[str]]


def by_recall(settings: RecallSettings) -> Ranking:
    """Return the ranking of the product with these settings."""

    def rank(tx: ReadTx, text: str, query_vector: bytes | None) -> list[str]:
        query = Query(text=text, reader=READER, limit=max(DEPTHS))
        found = recall(tx, query, query_vector=query_vector, settings=settings, now=NOW)
        return [hit.id for hit in found.hits if not hit.supplementary]

    return rank


def by_words(tx: ReadTx, text: str, _: bytes | None) -> list[str]:
    """Rank by FTS5 alone."""
    where = scope.condition(Query(text=text, reader=READER))
    return _ids(tx, list(keyword.find(tx, fts.content_words(text), where, max(DEPTHS))))


def by_vectors(tx: ReadTx, text: str, query_vector: bytes | None) -> list[str]:
    """Rank by cosine alone."""
    where = scope.condition(Query(text=text, reader=READER))
    if query_vector is None:
        return []
    return _ids(tx, list(vector.find(tx, query_vector, where, max(DEPTHS), model=None)))


def by_rrf(tx: ReadTx, text: str, query_vector: bytes | None) -> list[str]:
    """Rank by reciprocal rank fusion, k = 60."""
    sums: dict[str, float] = {}
    for ranking in (by_words, by_vectors):
        for place, id_ in enumerate(ranking(tx, text, query_vector), start=1):
            sums[id_] = sums.get(id_, 0.0) + 1 / (60 + place)
    return sorted(sums, key=lambda id_: -sums[id_])[: max(DEPTHS)]


def _ids(tx: ReadTx, seqs: Sequence[int]) -> list[str]:
    rows = tx.all(
        "SELECT seq, id FROM memories WHERE seq IN (SELECT value FROM json_each(?))",
        (json.dumps(seqs),),
    )
    known = {row[0]: row[1] for row in rows}
    return [known[seq] for seq in seqs]


PLAIN = RecallSettings(fusion=Fusion.PLAIN, alpha=0.7)
RANKINGS: Mapping[str, Ranking] = {
    "signet": by_recall(RecallSettings()),
    "fts5": by_words,
    "vectors": by_vectors,
    "alpha 0.7": by_recall(PLAIN),
    "rrf 60": by_rrf,
}


Passages = list[tuple[str, bytes]]


def embedded(items: Sequence[Item], cache: Cache) -> list[Passages]:
    """Return the passages of each item with their vectors; none without a model."""
    pieces = [passages.split(item["text"]) for item in items]
    vectors = [cache.embed(texts) or [] for texts in pieces]
    return [
        list(zip(texts, found, strict=False)) for texts, found in zip(pieces, vectors, strict=True)
    ]


def told_day(item: Item) -> str | None:
    """Return the day that an item tells of, as saving notes it."""
    written_at = clock.parsed(item["time"])
    day = dates.the_day(item["text"], written_at) if written_at else None
    return clock.to_text(day) if day else None


def fill(tx: WriteTx, items: Sequence[Item], vectors: Sequence[Passages]) -> None:
    """Store the items of one conversation in their order."""
    for ordinal, (item, pairs) in enumerate(zip(items, vectors, strict=True)):
        text = normalize(item["text"])
        tx.run(
            "INSERT INTO memories (id, content, content_hash, source_type, source_id, ordinal, who,"
            " created_at, updated_at, event_at) VALUES (?, ?, ?, 'session', ?, ?, ?, ?, ?, ?)",
            (
                *(item["id"], item["text"], f"{text.content_hash}:{ids.new_id()}"),
                *(item["session"], ordinal, item["who"], item["time"], item["time"]),
                told_day(item),
            ),
        )
        if pairs:
            embeddings.replace(tx, item["id"], text.content_hash, pairs, MODEL, NOW)


def conversations(
    data: Path, sets: Sequence[str]
) -> Iterator[tuple[str, str, list[Item], list[Question]]]:
    """Yield (set, store, items, questions about them) of every conversation."""
    for name in sets:
        for file in sorted((data / name).glob("*.json.gz")):
            with gzip.open(file, "rt") as stream:
                conversation = json.load(stream)
            for store, items in conversation["stores"].items():
                questions = [q for q in conversation["queries"] if q["gold"].get(store)]
                if questions:
                    yield name, store, items, questions


def measure(
    data: Path, sets: Sequence[str], cache: Cache, rankings: Mapping[str, Ranking]
) -> dict[tuple[str, str, str], Tally]:
    """Return the tallies by set, store and ranking."""
    tallies: dict[tuple[str, str, str], Tally] = {}
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        migrate.upgrade(empty, now=NOW)
        model = empty.read_bytes()
        for number, (set_, store, items, questions) in enumerate(conversations(data, sets)):
            path = Path(folder) / str(number) / "memories.db"
            path.parent.mkdir()
            path.write_bytes(model)
            db = Database(path)
            try:
                db.write(fill, items, embedded(items, cache))
                for name, rank in rankings.items():
                    tally = tallies.setdefault((set_, store, name), Tally())
                    for question in questions:
                        vectors = cache.embed([question["text"]])
                        started = time.process_time()
                        ranked = db.read(rank, question["text"], vectors[0] if vectors else None)
                        spent = time.process_time() - started
                        tally.add(ranked, set(question["gold"][store]), spent)
            finally:
                db.close()
    return tallies


def native() -> Embed | None:
    """Return the model in the process, None when it is not installed (`signet models install`)."""
    embedder = NativeEmbedder()
    return embedder if embedder.available() else None


def main() -> int:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="+", default=["locomo", "beam-100k", "lme-mini"])
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--only", nargs="+", choices=list(RANKINGS), default=list(RANKINGS))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    cache = Cache(args.cache, native())
    try:
        chosen = {name: RANKINGS[name] for name in args.only}
        tallies = measure(args.data, args.sets, cache, chosen)
    finally:
        cache.close()
    rows = [
        {"set": s, "store": store, "ranking": name, "questions": tally.questions, **tally.figures()}
        for (s, store, name), tally in tallies.items()
    ]
    head = ("set", "store", "ranking", "questions", *Tally().figures())
    print("".join(f"{name:>11}" for name in head))
    for row in sorted(rows, key=lambda row: (str(row["set"]), str(row["store"]))):
        print("".join(f"{row[name]!s:>11}" for name in head))
    text = json.dumps(rows)
    if args.json:
        args.json.write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
