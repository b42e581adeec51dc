"""Compare the product's ranking with simpler ones on the evaluation data; see `recall_quality.py`."""

import argparse
import hashlib
import http.client
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from loadtests.evidence import DEPTHS, Conversation, Floor, Question, Tally, conversations, instant
from loadtests.stack import API, ROOT, WORKER, Stack

from signet import clock
from signet.db import Database, ReadTx
from signet.db import fts as fts_
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.auth import tokens
from signet.domain.recall import vector, view
from signet.domain.recall.models import DEFAULT_LIMIT, Filters, Query, RecallSettings
from signet.domain.recall.recall import recall
from signet.paths import Workspace
from signet.providers.native.encoder import NativeEmbedder

CACHE = Path(tempfile.gettempdir()) / "signet-recall-quality"
READER = Reader(policy=ReadPolicy.SHARED)

#: Sets and stores with targets.
STORES = {
    "locomo": ("turns", "facts", "sessions"),
    "beam-100k": ("turns",),
    "beam-500k": ("turns",),
    "lme-mini": ("sessions",),
    "locomo-plus": ("turns",),
}

#: One memory per item, whatever its length, without extraction.
WHOLE = """
memory:
  pipelineV2:
    extraction: {provider: none}
    guardrails: {maxContentChars: 100000, chunkTargetChars: 50000}
"""

#: Maximum wait for the vectors of one store.
EMBED_SECONDS = 5_400.0

#: Maximum wait for the question model.
MODEL_SECONDS = 30.0


class Questions:
    """Vectors of questions, cached on disk by the hash of their text."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (hash TEXT PRIMARY KEY, vector BLOB)")
        self._embedder = NativeEmbedder()

    def of(self, text: str) -> bytes:
        """Return the vector of a question."""
        key = hashlib.sha256(text.encode()).hexdigest()
        row = self._db.execute("SELECT vector FROM vectors WHERE hash = ?", (key,)).fetchone()
        if row is not None:
            return bytes(row[0])
        found = self._embedder.embed([text])[0]
        with self._db:
            self._db.execute("INSERT INTO vectors VALUES (?, ?)", (key, found))
        return found

    def close(self) -> None:
        self._db.close()


class Client:
    """HTTP client of a stack\'s API over a persistent connection; with a workspace as the client of its user."""

    def __init__(self, port: int, workspace: Workspace | None = None) -> None:
        self._workspace = workspace
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        """Return the answer to a POST; raises RuntimeError if it is refused."""
        self._connection.request(
            "POST", path, json.dumps(body), {"Content-Type": "application/json", **self._key}
        )
        answer = self._connection.getresponse()
        content: dict[str, object] = json.loads(answer.read())
        if answer.status not in (http.client.OK, http.client.CREATED):
            raise RuntimeError(f"{path}: {answer.status} {content}")
        return content

    @property
    def _key(self) -> dict[str, str]:
        token = self._workspace and tokens.own_token(self._workspace, "loadtests", now=clock.now())
        return {"Authorization": f"Bearer {token}"} if token else {}

    def await_model(self) -> None:
        """Wait until questions are answered by meaning."""
        deadline = time.monotonic() + MODEL_SECONDS
        while self.post("/api/memory/recall", {"query": "warm"})["method"] != "hybrid":
            if time.monotonic() > deadline:
                raise TimeoutError("no model: run `signet models install`")
            time.sleep(0.2)

    def results(self, project: str, text: str, **asked: object) -> list[dict[str, str]]:
        """Return the results for a question, without supplements."""
        body = {"query": text, "project": project, **asked}
        results = self.post("/api/memory/recall", body)["results"]
        assert isinstance(results, list)
        return [row for row in results if not row.get("supplementary")]

    def recall(self, project: str, text: str, **asked: object) -> list[str]:
        """Return the IDs of the results for a question."""
        return [row["id"] for row in self.results(project, text, **asked)]


Ranking = Callable[[ReadTx, str, str, bytes], list[str]]


def by_words(tx: ReadTx, project: str, text: str, _: bytes) -> list[str]:
    """Rank by FTS5 alone."""
    asked = view.view_of(tx, _query(project, text))
    return _ids(tx, list(view.best_by_words(tx, fts_.content_words(text), asked, max(DEPTHS))))


def by_vectors(tx: ReadTx, project: str, text: str, query_vector: bytes) -> list[str]:
    """Rank by cosine alone."""
    asked = view.view_of(tx, _query(project, text))
    return _ids(tx, list(vector.find(tx, query_vector, asked, max(DEPTHS), model=None)))


def by_blend(tx: ReadTx, project: str, text: str, query_vector: bytes) -> list[str]:
    """Rank by the best of both lists, 0.7 towards vectors; an item in one list keeps its score."""
    asked = view.view_of(tx, _query(project, text))
    words = fts_.scores(view.best_by_words(tx, fts_.content_words(text), asked, max(DEPTHS)))
    near = vector.find(tx, query_vector, asked, max(DEPTHS), model=None)
    scores = {
        seq: 0.7 * near[seq] + 0.3 * words[seq]
        if seq in near and seq in words
        else max(near.get(seq, 0.0), words.get(seq, 0.0))
        for seq in {*near, *words}
    }
    return _ids(tx, sorted(scores, key=lambda seq: -scores[seq])[: max(DEPTHS)])


def by_rrf(tx: ReadTx, project: str, text: str, query_vector: bytes) -> list[str]:
    """Rank by reciprocal rank fusion, k = 60."""
    sums: dict[str, float] = {}
    for ranking in (by_words, by_vectors):
        for place, id_ in enumerate(ranking(tx, project, text, query_vector), start=1):
            sums[id_] = sums.get(id_, 0.0) + 1 / (60 + place)
    return sorted(sums, key=lambda id_: -sums[id_])[: max(DEPTHS)]


def page_by_words(tx: ReadTx, project: str, text: str, floor: float | None) -> list[str]:
    """Return an ordinary page without vectors, as before the model is loaded."""
    query = replace(_query(project, text), limit=DEFAULT_LIMIT, floor=floor)
    found = recall(
        tx, query, query_vector=lambda _: None, settings=RecallSettings(), now=clock.now()
    )
    return [hit.id for hit in found.hits if not hit.supplementary]


def _query(project: str, text: str) -> Query:
    return Query(text=text, reader=READER, limit=max(DEPTHS), filters=Filters(project=project))


def _ids(tx: ReadTx, seqs: Sequence[int]) -> list[str]:
    rows = tx.all(
        "SELECT seq, id FROM memories WHERE seq IN (SELECT value FROM json_each(?))",
        (json.dumps(seqs),),
    )
    known = {row[0]: row[1] for row in rows}
    return [known[seq] for seq in seqs]


OURS = "signet"
WORDS = "by words"
BASELINES: Mapping[str, Ranking] = {
    "fts5": by_words,
    "vectors": by_vectors,
    "alpha 0.7": by_blend,
    "rrf 60": by_rrf,
}


#: Item IDs of each memory, by project and memory ID: equal texts are one memory.
Items = dict[str, dict[str, list[str]]]


def filled(stack: Stack, told: Sequence[Conversation]) -> Items:
    """Return the items of each memory in the workspace, saving everything first if needed."""
    kept = stack.workspace.root / "items.json"
    if kept.exists():
        found: Items = json.loads(kept.read_text())
        return found
    stack.start(WORKER)
    client = Client(stack.port)
    items: Items = {conversation.id: {} for conversation in told}
    for conversation in told:
        for ordinal, item in enumerate(conversation.items):
            answer = client.post(
                "/api/memory/remember",
                {
                    "content": item["text"],
                    "project": conversation.id,
                    "who": item["who"] or None,
                    "sourceType": "session",
                    "sourceId": f"{conversation.id}/{item['session']}",
                    "ordinal": ordinal,
                    "createdAt": instant(item["time"]),
                },
            )
            for id_ in _strings(answer.get("ids")) or [str(answer["id"])]:
                items[conversation.id].setdefault(id_, []).append(item["id"])
    await_vectors(stack)
    stack.stop(WORKER)
    kept.write_text(json.dumps(items))
    return items


def _strings(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def await_vectors(stack: Stack) -> None:
    """Wait until no job is open; raises TimeoutError."""
    waits = "SELECT count(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
    deadline = time.monotonic() + EMBED_SECONDS
    db = Database(stack.workspace.database)
    try:
        while db.read(lambda tx: tx.value(waits)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"vectors are missing: see {stack.workspace.log_dir}")
            time.sleep(0.5)
    finally:
        db.close()


Tallies = dict[tuple[str, str], Tally]


@dataclass(slots=True)
class Measured:
    """One set and store: tallies by ranking and question type ("" for all), and the floor."""

    tallies: Tallies = field(default_factory=dict)
    floors: dict[str, Floor] = field(default_factory=dict)

    def add(
        self, ranking: str, question: Question, ranked: list[str], gold: set[str], ms: float
    ) -> None:
        """Count one question for all types and for its own."""
        for type_ in ("", question["category"]):
            self.tallies.setdefault((ranking, type_), Tally()).add(ranked, gold, ms)

    def cut(
        self, ranking: str, gold: set[str], whole: list[str], page: list[str], noise: int
    ) -> None:
        """Count the floor's effect on a page that is uncut `whole`, and on another store's."""
        floor = self.floors.setdefault(ranking, Floor())
        there = gold & set(whole)
        if there:
            floor.kept.append(len(there & set(page)) / len(there))
        floor.noise.append(noise)


def measure(
    stack: Stack,
    told: Sequence[Conversation],
    store: str,
    cache: Questions,
    baselines: Sequence[str],
) -> Measured:
    """Fill a workspace if needed, and ask all questions."""
    stack.start(API)
    items = filled(stack, told)
    client, measured = Client(stack.port), Measured()
    client.await_model()
    db = Database(stack.workspace.database)
    try:
        for place, conversation in enumerate(told):
            other = told[(place + 1) % len(told)].id
            of = items[conversation.id]
            for question in conversation.questions:
                gold, text = set(question["gold"][store]), question["text"]
                started = time.perf_counter()
                ids = client.recall(conversation.id, text, limit=max(DEPTHS))
                spent = 1000 * (time.perf_counter() - started)
                measured.add(OURS, question, _items(ids, of), gold, spent)
                whole = _items(client.recall(conversation.id, text, floor=0), of)
                page = _items(client.recall(conversation.id, text), of)
                measured.cut(OURS, gold, whole, page, len(client.recall(other, text)))
                whole = _items(db.read(page_by_words, conversation.id, text, 0.0), of)
                page = _items(db.read(page_by_words, conversation.id, text, None), of)
                noise = db.read(page_by_words, other, text, None)
                measured.cut(WORDS, gold, whole, page, len(noise))
                for name in baselines:
                    started = time.perf_counter()
                    ids = db.read(BASELINES[name], conversation.id, text, cache.of(text))
                    spent = 1000 * (time.perf_counter() - started)
                    measured.add(name, question, _items(ids, of), gold, spent)
    finally:
        db.close()
    return measured


def _items(ids: Sequence[str], of: Mapping[str, list[str]]) -> list[str]:
    """Return the items in the order of their best memory; a memory without an item keeps its place."""
    return list(dict.fromkeys(item for id_ in ids for item in of.get(id_, [id_])))


def rows(set_: str, store: str, measured: Measured) -> Iterator[dict[str, object]]:
    """Yield one row per ranking and question type, with the floor's figures for the product.

    The last row is the floor without vectors.
    """
    for (ranking, type_), tally in sorted(
        measured.tallies.items(), key=lambda pair: (pair[0][1], pair[0][0] != OURS)
    ):
        row: dict[str, object] = {"set": set_, "store": store, "type": type_ or "all"}
        row |= {"ranking": ranking, "questions": tally.questions, **tally.figures()}
        if ranking == OURS and not type_:
            row |= measured.floors[OURS].figures()
        yield row
    row = {"set": set_, "store": store, "type": "all", "ranking": WORDS}
    yield row | measured.floors[WORDS].figures()


HEAD = (
    *(("set", 10), ("store", 9), ("type", 25), ("ranking", 10), ("questions", 9)),
    *((name, 8) for name in (*Tally().figures(), *Floor().figures())),
)


def table(found: Sequence[Mapping[str, object]]) -> str:
    """Return rows as aligned text."""
    lines = ["".join(f"{name:>{width + 1}}" for name, width in HEAD)]
    lines += [
        "".join(f"{row.get(name, '')!s:>{width + 1}}" for name, width in HEAD) for row in found
    ]
    return "\n".join(lines)


def main(description: str | None) -> int:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", nargs="+", default=list(STORES), choices=list(STORES))
    parser.add_argument("--stores", nargs="+")
    parser.add_argument("--baselines", nargs="*", default=list(BASELINES), choices=list(BASELINES))
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--types", action="store_true", help="print every type of question")
    parser.add_argument("--as-shipped", action="store_true", help="leave the settings alone")
    parser.add_argument("--json", type=Path, help="where all figures go")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    cache, every = Questions(args.cache / "questions.sqlite"), list[dict[str, object]]()
    for set_ in args.sets:
        for store in args.stores or STORES[set_]:
            told = conversations(args.data, set_, store)
            name = f"{set_}-{store}{'-as-shipped' if args.as_shipped else ''}"
            with Stack(args.cache / name, settings="" if args.as_shipped else WHOLE) as stack:
                found = list(rows(set_, store, measure(stack, told, store, cache, args.baselines)))
            every += found
            shown = [row for row in found if args.types or row["type"] == "all"]
            sys.stdout.write(table(shown) + "\n\n")
            sys.stdout.flush()
    cache.close()
    if args.json:
        args.json.write_text(json.dumps(every, indent=1))
    return 0
