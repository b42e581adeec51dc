"""Fit the relevance model on the tuning halves of all data sets, and report the other halves.

    .venv/bin/python -m loadtests.fit [--data FOLDER] [--write]

Each conversation, person or project is one store, filled in process with the product's own statements and vectors
(cached in the temporary folder). For each question recall's candidates give their features; the weights are those of
a listwise softmax for the ranking, and of a logistic regression for the relevance, whose negatives are the best
candidates of questions that the store cannot answer: absent ones, and those of other stores. A second logistic
regression estimates whether a prompt needs its best candidate, a third whether a question is answered by meaning alone
(paraphrases against questions of other stores and absent ones). Positive prompts are reports, questions and requests
with an answer among the first ten; negative are those of other stores, reports whose decision was left out of the
store, and `ordinary.txt`. Stores are numbered within their set; the even ones are fitted. `--write` puts the weights of
all into `weights.json`.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sqlite3
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
from loadtests.evidence import conversations, instant
from loadtests.quality import READER
from loadtests.scenarios import everyday
from loadtests.scenarios.asked import REQUEST
from loadtests.tasks import Exchanges, Task, own_tasks
from loadtests.tasks import Turn as Message

from signet import clock
from signet.config import Settings
from signet.db import Database, ReadTx, WriteTx, fts
from signet.db.migrate import upgrade
from signet.domain.embeddings import vectors as embeddings
from signet.domain.episodes import split, sql
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.domain.recall import features, rank, tuning
from signet.domain.recall.gather import gather
from signet.domain.recall.models import Query, QueryVector, RecallSettings
from signet.domain.recall.rank import FEATURES, NEED, PAGE, Model
from signet.domain.recall.recall import begin
from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import Turn
from signet.providers.native.encoder import NativeEmbedder

ROOT = Path(__file__).parent.parent
WEIGHTS = ROOT / "shared/signet/domain/recall/weights.json"
NOW = datetime(2026, 11, 1, tzinfo=UTC)
#: Weight of each set in the ranking; sessions and rare words weigh less than what they are made of. Reports are prompts
#: and no questions, so only their need is fitted.
SETS = {
    "locomo/turns": 3.0,
    "locomo/facts": 1.0,
    "locomo/sessions": 1.5,
    "locomo/exact": 0.3,
    "locomo-plus/turns": 0.7,
    "beam-100k/turns": 2.0,
    "beam-100k/sessions": 1.0,
    "said/sessions": 0.5,
    "said/exact": 0.3,
    "said/exact-sessions": 0.5,
    "locomo/exact-sessions": 0.5,
    "everyday": 1.0,
    "everyday/few": 0.0,
    "sde/sessions": 0.0,
}
#: Weight of each kind of prompt when its need is fitted.
PROMPTS = {
    "report": 4.0,
    "question": 1.5,
    "request": 1.5,
    "similar": 2.5,
    "foreign": 1.0,
    "foreign request": 1.0,
    "ordinary": 2.5,
}
#: Those that need something.
NEEDING = ("report", "question", "request")
#: Prompts that need nothing, of people who work with an agent.
ORDINARY = (ROOT / "loadtests/ordinary.txt").read_text().splitlines()
#: Talks of the store of long sessions, and requests that each store is asked.
LONG, REQUESTS = 60, 60
#: Questions of other stores that each store is asked, and rare words.
OTHERS, RARE = 40, 40
#: Kinds of questions that hardly share a word with their answer. By the features of `rank.MEANT` a third logistic
#: regression tells them from those of other stores and those without an answer.
MEANT = ("paraphrase", "cue")
#: Weight of each kind when that is fitted.
ANSWERED = {"paraphrase": 1.0, "cue": 0.3, "absent": 1.0, "foreign": 2.0}
#: Score that a memory must have to reach a prompt.
PROMPTED = Settings().hooks.user_prompt_submit.min_score
#: Sizes of the parts of a person's notes that are separate stores: new users have few memories.
PARTS = (1, 2, 3, 4, 6, 8, 12, 16)
#: Candidates that are fitted for the relevance: a page.
TOP = 10
RIDGE = 1e-3
DEPTHS = (3, 5, 10)

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Text:
    """One message or memory."""

    id: str
    text: str
    who: str = ""
    session: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what answers it: nothing for one that the store cannot answer."""

    text: str
    gold: frozenset[str]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """One store: its texts as memories, or as sessions."""

    set: str
    id: str
    texts: Sequence[Text]
    asked: Sequence[Asked]

    @property
    def are_sessions(self) -> bool:
        """Return whether the texts are messages of sessions."""
        return self.set.endswith("sessions")


@dataclass(slots=True)
class Case:
    """The candidates of one question: their features, which answer it, and how many answers there are."""

    kind: str
    rows: Array
    gold: npt.NDArray[np.bool_]
    answers: int
    is_tuned: bool
    sources: rank.Places
    words: int


@dataclass(slots=True)
class Sample:
    """The cases of one set."""

    cases: list[Case] = field(default_factory=list)
    #: Questions of other stores of the set.
    foreign: list[Case] = field(default_factory=list)
    #: Other prompts, of stores of sessions.
    prompts: list[Case] = field(default_factory=list)


class Vectors:
    """Vectors of texts and questions, cached by their hash."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (hash TEXT PRIMARY KEY, vector BLOB)")
        self._embedder = NativeEmbedder()

    @property
    def model(self) -> str:
        """Return the name of the model."""
        return self._embedder.model

    def of(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors of texts."""
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        found: dict[str, bytes] = {}
        for key, text in zip(keys, texts, strict=True):
            row = self._db.execute("SELECT vector FROM vectors WHERE hash = ?", (key,)).fetchone()
            if row is None:
                found[key] = self._embedder.embed([text])[0]
                self._db.execute("INSERT OR IGNORE INTO vectors VALUES (?, ?)", (key, found[key]))
            else:
                found[key] = row[0]
        self._db.commit()
        return [found[key] for key in keys]

    def question(self, text: str) -> QueryVector:
        """Return how a question is read."""
        return self._embedder.question(text)


def worlds(data: Path) -> Iterator[World]:
    """Yield all stores."""
    for name in SETS:
        set_, _, store = name.partition("/")
        if set_ == "everyday":
            people = _people()
            yield from (part for one in people for part in _parts(one)) if store else people
            continue
        found: Iterable[World] = ()
        if set_ == "sde" and (data / set_).exists():
            found = _reports(data)
        elif set_ == "said":
            found = [_talks()]
        elif (data / set_).exists():
            found = _conversations(data, set_, "facts" if store == "facts" else "turns")
        for one in found:
            world = World(name, one.id, one.texts, one.asked)
            yield _rare(world) if store.startswith("exact") else world


def _conversations(data: Path, set_: str, store: str) -> Iterator[World]:
    for one in conversations(data, set_, store):
        texts = [
            Text(item["id"], item["text"], item["who"] or "", item["session"], item["time"])
            for item in one.items
        ]
        asked = [
            Asked(q["text"], frozenset(q["gold"][store]), "cue" if set_ == "locomo-plus" else "")
            for q in one.questions
        ]
        yield World(set_, one.id, texts, asked)


def _people() -> Iterator[World]:
    for name, person in everyday.people().items():
        notes = person["memories"]
        asked = [
            Asked(question, frozenset([str(number)]), kind)
            for number, note in enumerate(notes)
            for kind, questions in (
                ("natural", note.get("natural", [])),
                ("paraphrase", note.get("paraphrase", [])),
            )
            for question in questions
        ]
        asked += [Asked(question, frozenset(), "absent") for question in person["absent"]]
        texts = [Text(str(number), note["text"]) for number, note in enumerate(notes)]
        yield World("everyday", name, texts, asked)


def _parts(world: World) -> Iterator[World]:
    """Yield small stores of a person's notes, with the questions about these notes."""
    start = 0
    for size in PARTS:
        texts = world.texts[start : start + size]
        held = {text.id for text in texts}
        asked = [one for one in world.asked if one.gold <= held and (one.gold or size > PARTS[3])]
        yield World("everyday/few", f"{world.id} {size}", texts, asked)
        start += size


def _talks() -> World:
    texts = [
        Text(f"{path.stem}#{number}", turn.text, turn.role, path.stem)
        for path in sorted((ROOT / "loadtests/talk").glob("*.txt"))
        for number, turn in enumerate(transcript.parse(path.read_text()))
    ]
    questions = json.loads((ROOT / "loadtests/talk_questions.json").read_text())
    asked = [
        Asked(one[kind], frozenset(text.id for text in texts if text.session == one["talk"]), kind)
        for one in questions
        for kind in ("natural", "paraphrase")
    ]
    return World("said", "talk", texts, asked)


def _reports(data: Path) -> Iterator[World]:
    """Yield stores of talks and commits with the decisions of every second report; the other reports are absent.

    Several stores share reports, so those of other stores are not known to be foreign.
    """
    with gzip.open(data / "sde" / "sde.json.gz", "rt") as stream:
        found = json.load(stream)
    decoys = [(f"talk {n}", one["turns"]) for n, one in enumerate(found["decoys"])]
    for source in ("conversation", "long", "history", "own"):
        tasks: list[Task] = [*found["tasks"], *own_tasks()]
        of = "conversation" if source == "long" else source
        tasks = [
            one for one in tasks if one["source"] == of and (one["conversations"] or one["commit"])
        ]
        for half in range(2):
            around = Exchanges(data).around if source == "long" else list
            talks = [
                (name, around(turns))
                for name, turns in decoys[: LONG if source == "long" else None]
            ]
            asked = [Asked(one["report"], frozenset(), "similar") for one in tasks[1 - half :: 2]]
            for task in tasks[half::2]:
                own = [
                    (f"{task['id']} {n}", around(turns))
                    for n, turns in enumerate(task["conversations"])
                ]
                if commit := task["commit"]:
                    own.append(
                        (
                            task["id"],
                            [Message(role="user", text=f"{commit['subject']}\n\n{commit['body']}")],
                        )
                    )
                talks += own
                gold = frozenset(f"{name}#{n}" for name, turns in own for n in range(len(turns)))
                asked.append(Asked(task["report"], gold, "report"))
            texts = [
                Text(f"{name}#{n}", turn["text"], turn["role"], name)
                for name, turns in talks
                for n, turn in enumerate(turns)
            ]
            yield World("sde/sessions", f"{source} {half}", texts, asked)


def _rare(world: World) -> World:
    """Return a store that is asked single words that one or two of its texts contain."""
    words = [set(fts.words(text.text)) for text in world.texts]
    often = Counter(word for held in words for word in held)
    chance = random.Random(world.id)
    rare = [
        word
        for word in sorted(often)
        if often[word] <= 2
        and len(word) > 3
        and (re.search(r"[\d_./-]", word) or chance.random() < 0.15)
    ]
    asked = [
        Asked(
            word,
            frozenset(t.id for t, held in zip(world.texts, words, strict=True) if word in held),
            "exact",
        )
        for word in chance.sample(rare, min(RARE, len(rare)))
    ]
    return World(world.set, world.id, world.texts, asked)


Gold = Mapping[str | tuple[str, int], frozenset[str]]


def fill(world: World, path: Path, vectors: Vectors) -> tuple[Database, Gold]:
    """Return a new store, and which texts each memory (by ID) or passage (by session and position) holds."""
    upgrade(path, now=NOW)
    database = Database(path)
    if world.are_sessions:
        return database, database.write(_put_sessions, world, vectors)
    return database, database.write(_put_memories, world, vectors)


def _put_memories(tx: WriteTx, world: World, vectors: Vectors) -> Gold:
    for number, text in enumerate(world.texts):
        at = instant(text.time) or clock.to_text(NOW - timedelta(days=30, minutes=-number))
        row = {
            "id": text.id,
            "content": text.text,
            "content_hash": text.id,
            "created_at": at,
            "updated_at": at,
            "who": text.who or None,
            "project": world.id if text.session else None,
            "source_type": "session" if text.session else None,
            "source_id": text.session or None,
            "ordinal": number if text.session else None,
        }
        marks = ", ".join("?" * len(row))
        tx.run(f"INSERT INTO memories ({', '.join(row)}) VALUES ({marks})", list(row.values()))
        pieces = embeddings.split_passages(text.text) or [" "]
        pairs = list(zip(pieces, vectors.of(pieces), strict=True))
        embeddings.replace(tx, text.id, text.id, pairs, vectors.model, NOW)
    return {text.id: frozenset([text.id]) for text in world.texts}


def _put_sessions(tx: WriteTx, world: World, vectors: Vectors) -> Gold:
    held: dict[str | tuple[str, int], frozenset[str]] = {}
    person = min((text.who for text in world.texts), default="")
    for session, group in groupby(world.texts, key=lambda text: text.session):
        texts = list(group)
        turns = [
            Turn(role="user" if text.who in ("user", person) else "assistant", text=text.text)
            for text in texts
        ]
        pieces = [piece for piece, _ in split.chunks(turns)]
        at = instant(texts[0].time) or clock.to_text(NOW - timedelta(days=30))
        source = Source(type=SourceType.SESSION, id=session, agent_id=READER.agent_id)
        chunks = [Chunk(position=n, content=piece, said_at=at) for n, piece in enumerate(pieces)]
        sql.insert(tx, source, chunks)
        for position, piece in enumerate(pieces):
            held[session, position] = frozenset(
                text.id for text in texts if text.text.strip()[:200] in piece
            )
        rows = sql.lacking(tx, source, vectors.model, most=len(pieces) + 1)
        made = [(row, vectors.of(split.exchanges(row.content, SourceType.SESSION))) for row in rows]
        sql.give_vectors(tx, made, vectors.model)
    return held


def case(
    tx: ReadTx, asked: Asked, held: Gold, vectors: Vectors, *, by_meaning: bool, is_tuned: bool
) -> Case:
    """Return the candidates of a question."""
    read = vectors.question(asked.text) if by_meaning else (lambda _: None)
    run = begin(
        tx,
        Query(text=asked.text, reader=READER),
        query_vector=read,
        settings=RecallSettings(embedding_model=vectors.model, skills=False),
        now=NOW,
    )
    gather(run)
    found = features.evidence_of(run)
    ids = {
        row[1]: row[0]
        for row in tx.tuples(
            "SELECT id, seq FROM memories WHERE seq IN (SELECT value FROM json_each(?))",
            (json.dumps([seq for seq in found.seqs if seq > 0]),),
        )
    }
    holds = [
        held.get((run.said[seq].source_id, run.said[seq].position), frozenset())
        if seq in run.said
        else held.get(ids.get(seq, ""), frozenset())
        for seq in found.seqs
    ]
    gold = np.array([not asked.gold.isdisjoint(one) for one in holds], dtype=np.bool_)
    answers = sum(not asked.gold.isdisjoint(one) for one in held.values())
    words = len(run.words)
    return Case(asked.kind, found.features, gold, answers, is_tuned, found.sources, words)


def sample(data: Path, vectors: Vectors, *, by_meaning: bool) -> dict[str, Sample]:
    """Return the cases of all sets."""
    found: dict[str, Sample] = {name: Sample() for name in SETS}
    every = list(worlds(data))
    for name, group in groupby(every, key=lambda world: world.set):
        stores = list(group)
        strange = stores if len(stores) > 1 else [one for one in every if one.set == "everyday"]
        for number, world in enumerate(stores):
            with tempfile.TemporaryDirectory() as folder:
                database, held = fill(world, Path(folder) / "memories.db", vectors)
                chance = random.Random(name + world.id)
                others = [
                    Asked(one.text, frozenset(), "foreign")
                    for other in strange
                    if other is not world and "/exact" not in name and "sde" not in name
                    for one in other.asked
                    if one.gold
                ]
                foreign = chance.sample(others, min(OTHERS, len(others)))
                is_tuned = number % 2 == 0
                prompts = _prompts(world, foreign, chance) if world.are_sessions else ()
                for asked, cases in (
                    *((one, found[name].cases) for one in world.asked),
                    *((one, found[name].foreign) for one in foreign),
                    *((one, found[name].prompts) for one in prompts),
                ):
                    halves = is_tuned if len(stores) > 1 else chance.random() < 0.5
                    ask = partial(case, by_meaning=by_meaning, is_tuned=halves)
                    cases.append(database.read(ask, asked, held, vectors))
                database.close()
        print(name, len(found[name].cases), len(found[name].foreign), flush=True)
    return found


def _prompts(world: World, foreign: Sequence[Asked], chance: random.Random) -> Iterator[Asked]:
    """Yield requests for what a store holds and for what others hold, and ordinary prompts."""
    questions = [one for one in world.asked if one.gold and one.kind in ("", "natural")]
    for one in chance.sample(questions, min(REQUESTS, len(questions))):
        yield Asked(REQUEST.format(one.text), one.gold, "request")
    for one in foreign[::2]:
        yield Asked(REQUEST.format(one.text), frozenset(), "foreign request")
    for text in ORDINARY:
        yield Asked(text, frozenset(), "ordinary")


def fit(samples: Mapping[str, Sample], *, by_meaning: bool) -> Model:
    """Return the model that these cases fit best."""
    names = FEATURES if by_meaning else WORDS_ALONE
    columns = [rank.at(name) for name in names]
    ranked: list[tuple[Case, float]] = []
    for set_, one in _ranked(samples):
        cases = [case for case in one.cases if case.gold.any() and not case.gold.all()]
        ranked += [(case, SETS[set_] / len(cases)) for case in cases]
    weights = np.zeros(len(FEATURES))
    weights[columns] = _softmax(
        [(case.rows[:, columns], case.gold, weight) for case, weight in ranked]
    )
    rows, labels, shares = [], [], []
    for _, one in _ranked(samples):
        answered = [case for case in one.cases if case.gold.any() and case.kind not in MEANT]
        absent = [case for case in one.cases if case.kind == "absent"]
        for cases, is_answer in ((answered, True), (absent, False), (one.foreign, False)):
            tops = [_top(case, weights) for case in cases if len(case.rows)]
            # Only the best answer: with the others half of what follows an answer would be relevant.
            chosen = [top[gold][:1] if is_answer else top for top, gold in tops]
            count = sum(map(len, chosen))
            for top in chosen if count else ():
                rows.append(top)
                labels.append(np.full(len(top), float(is_answer)))
                # By words alone what is missed is lost; there is no second way to it.
                weight = 1.0 if by_meaning or not is_answer else 3.0
                shares.append(np.full(len(top), weight / count))
    found = logistic(np.concatenate(rows), np.concatenate(labels), np.concatenate(shares))
    own = _own(samples, weights)
    need = _need(samples, weights, by_meaning=by_meaning)
    meant, told = (
        [_meant(samples, weights, are_said=are_said) for are_said in (False, True)]
        if by_meaning
        else [np.append(np.zeros(size), rank.NEVER) for size in (len(rank.MEANT), 1)]
    )
    return Model(
        weights,
        float(found[0]),
        found[1:-1],
        float(found[-1]),
        own,
        need[:-1],
        float(need[-1]),
        meant[:-1],
        float(meant[-1]),
        (float(told[0]), float(told[1])),
    )


def _own(samples: Mapping[str, Sample], weights: Array) -> tuple[float, float]:
    """Return weight and bias for whether a candidate answers, by its distance to the best of an answered question."""
    rows, labels, shares = [], [], []
    for _, one in _ranked(samples):
        answered = [case for case in one.cases if case.gold.any() and case.kind not in MEANT]
        tops = [_top(case, weights) for case in answered]
        tops = [(top[:, :1] - top[0, 0], gold) for top, gold in tops if gold.any()]
        for behind, gold in tops:
            rows.append(behind)
            labels.append(gold.astype(float))
            shares.append(np.full(len(gold), 1 / len(tops) / len(gold)))
    weight, bias = logistic(np.concatenate(rows), np.concatenate(labels), np.concatenate(shares))
    return float(weight), float(bias)


def _ranked(samples: Mapping[str, Sample]) -> Iterator[tuple[str, Sample]]:
    """Yield the sets whose questions are ranked."""
    yield from ((name, one) for name, one in samples.items() if SETS[name])


def _need(samples: Mapping[str, Sample], weights: Array, *, by_meaning: bool) -> Array:
    """Return the weights of NEED and the bias."""
    columns = [n for n, name in enumerate(NEED) if by_meaning or name in WORDS_OF_PROMPTS]
    cases = [
        (kind, case) for kind, case in _asked_by_prompts(samples) if _is_clear(kind, case, weights)
    ]
    often = Counter(kind for kind, _ in cases)
    rows = [
        rank.need(case.rows @ weights, case.rows, case.sources, case.words) for _, case in cases
    ]
    fitted = logistic(
        np.array(rows)[:, columns],
        np.array([float(kind in NEEDING) for kind, _ in cases]),
        np.array([PROMPTS[kind] / often[kind] for kind, _ in cases]),
    )
    found = np.zeros(len(NEED) + 1)
    found[[*columns, -1]] = fitted
    return found


def _meant(samples: Mapping[str, Sample], weights: Array, *, are_said: bool) -> Array:
    """Return the weights of `rank.MEANT`, for passages of sessions that of the cosine, and the bias.

    Two candidates of each question are judged.
    """
    cases = [one for one in _asked_by_meaning(samples) if _are_said(one[0]) == are_said]
    often = Counter(case.kind for _, case in cases)
    rows, labels, shares = [], [], list[float]()
    for _, case in cases:
        scores = case.rows @ weights
        places = rank.meant_places(scores, case.rows)
        rows.append(
            case.rows[places][:, [rank.at("cosine")]]
            if are_said
            else rank.meant(scores, case.rows, case.sources, case.words, places)
        )
        labels.append(case.gold[places])
        shares += [ANSWERED[case.kind] / often[case.kind] / len(places)] * len(places)
    return logistic(np.concatenate(rows), np.concatenate(labels).astype(float), np.array(shares))


def _are_said(set_: str) -> bool:
    """Return whether the candidates of a set are passages of sessions."""
    return set_.endswith("/sessions")


def _asked_by_meaning(samples: Mapping[str, Sample]) -> Iterator[tuple[str, Case]]:
    """Yield the questions of stores that are asked paraphrases, but those in the words of an answer, by set."""
    for set_, one in samples.items():
        if any(case.kind in MEANT for case in one.cases):
            for case in (*one.cases, *one.foreign):
                if len(case.rows) and case.kind in ANSWERED:
                    yield set_, case


def _asked_by_prompts(samples: Mapping[str, Sample]) -> Iterator[tuple[str, Case]]:
    """Yield the cases of stores of sessions as prompts, by kind."""
    for set_, one in samples.items():
        if _are_said(set_):
            for case in (*one.cases, *one.foreign, *one.prompts):
                kind = case.kind if case.kind in PROMPTS else "question"
                if len(case.rows) and case.kind != "paraphrase":
                    yield kind, case


def _is_clear(kind: str, case: Case, weights: Array) -> bool:
    """Return whether the label of a prompt is certain: an answer is among its best candidates, or none exists."""
    best = np.argsort(-(case.rows @ weights), kind="stable")[:TOP]
    return kind not in NEEDING or bool(case.gold[best].any())


def _top(case: Case, weights: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return score and page of the best candidates of a question, and which answer it."""
    scores = case.rows @ weights
    best = np.argsort(-scores, kind="stable")[:TOP]
    return np.column_stack([scores, rank.page(scores, case.rows)])[best], case.gold[best]


def _softmax(cases: Sequence[tuple[Array, npt.NDArray[np.bool_], float]]) -> Array:
    """Return the weights under which answers are most likely drawn first (a listwise softmax), by Newton's method."""
    every = np.concatenate([rows for rows, _, _ in cases])
    scale = every.std(axis=0)
    scale[scale == 0] = 1.0
    total = sum(weight for _, _, weight in cases)
    parts = [(rows / scale, gold, weight / total) for rows, gold, weight in cases]

    def at(weights: Array) -> tuple[float, Array, Array]:
        loss = RIDGE * float(weights @ weights)
        gradient, curve = 2 * RIDGE * weights, 2 * RIDGE * np.eye(len(weights))
        for rows, gold, weight in parts:
            scores = rows @ weights
            chance = np.exp(scores - scores.max())
            total = chance.sum()
            loss += weight * float(np.log(total) + scores.max() - scores[gold].mean())
            chance /= total
            mean = chance @ rows
            gradient += weight * (mean - rows[gold].mean(axis=0))
            curve += weight * ((rows * chance[:, None]).T @ rows - np.outer(mean, mean))
        return loss, gradient, curve

    found: Array = _minimum(at, every.shape[1]) / scale
    return found


def _minimum(at: Callable[[Array], tuple[float, Array, Array]], size: int) -> Array:
    """Return where a convex function, given with gradient and curvature, is least: Newton's method, with shorter steps
    where a whole one would not go down.
    """
    weights = np.zeros(size)
    loss, gradient, curve = at(weights)
    for _ in range(60):
        step = np.linalg.solve(curve + 1e-9 * np.eye(size), gradient)
        share = 1.0
        while share > 1e-4:
            new = at(weights - share * step)
            if new[0] <= loss:
                break
            share /= 2
        else:
            return weights
        weights = weights - share * step
        done = loss - new[0] < 1e-9
        loss, gradient, curve = new
        if done:
            break
    return weights


def logistic(rows: Array, labels: Array, shares: Array) -> Array:
    """Return the weights and the bias of a logistic regression with weighted cases, by Newton's method."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale == 0] = 1.0
    given = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    ridge = 2 * RIDGE * np.diag([*np.ones(rows.shape[1]), 0.0])
    shares = shares / shares.sum()

    def at(weights: Array) -> tuple[float, Array, Array]:
        logits = given @ weights
        chance = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
        loss = shares @ (np.logaddexp(0, logits) - labels * logits) + weights @ ridge @ weights / 2
        gradient = given.T @ (shares * (chance - labels)) + ridge @ weights
        curve = (given * (shares * chance * (1 - chance))[:, None]).T @ given + ridge
        return float(loss), gradient, curve

    weights = _minimum(at, given.shape[1])
    plain = weights[:-1] / scale
    return np.append(plain, weights[-1] - mean @ plain)


def report(
    samples: Mapping[str, Sample], model: Model, *, floor: float
) -> dict[str, dict[str, float]]:
    """Return figures by set: recall at depths before the floor, and the share of answers above the floor.

    `likely` are results whose own relevance reaches the floor.
    """
    found: dict[str, dict[str, float]] = {}
    for set_, one in samples.items():
        for kind in (
            "",
            *sorted({case.kind for case in one.cases if set_ == "everyday"} - {"absent"}),
        ):
            cases = [case for case in one.cases if case.answers and kind in ("", case.kind)]
            if not cases:
                continue
            figures: defaultdict[str, float] = defaultdict(float)
            for case in cases:
                scores = model.scores(case.rows)
                order = np.argsort(-scores, kind="stable")
                passes = _passing(model, case, floor)[order]
                gold = case.gold[order]
                for depth in DEPTHS:
                    figures[f"R@{depth}"] += 100 * gold[:depth].sum() / case.answers
                figures["first"] += 100 * float(gold[:1].any())
                figures["top 3, floor"] += 100 * float((gold & passes)[:3].any())
                kept = gold[:TOP]
                figures["kept"] += (
                    100 * (kept & passes[:TOP]).sum() / kept.sum() if kept.any() else 100
                )
                figures["shown"] += passes[:TOP].sum()
                sure = (model.beside(scores, case.rows)[order] >= rank.logit(floor))[:TOP]
                figures["likely"] += sure.sum()
                figures["likely, right"] += (sure & kept).sum()
            row = {name: round(total / len(cases), 1) for name, total in figures.items()}
            for name, others in (
                ("foreign", one.foreign),
                ("absent", [case for case in one.cases if case.kind == "absent"]),
            ):
                if others and not kind:
                    shown = [_shown(model, case, floor) for case in others]
                    row[name] = round(sum(shown) / len(shown), 2)
            found[f"{set_} {kind}".strip()] = row
    return found


def _passing(model: Model, case: Case, floor: float) -> npt.NDArray[np.bool_]:
    """Return which candidates a page shows, apart from its limit."""
    passes: npt.NDArray[np.bool_]
    passes = model.logits(model.scores(case.rows), case.rows) >= rank.logit(floor)
    return passes


def _shown(model: Model, case: Case, floor: float) -> int:
    """Return how many results a page has."""
    return min(TOP, int(_passing(model, case, floor).sum()))


def prompted(samples: Mapping[str, Sample], model: Model) -> dict[str, float]:
    """Return by kind the share of prompts that get something, in percent."""
    got: defaultdict[str, list[bool]] = defaultdict(list)
    for kind, case in _asked_by_prompts(samples):
        scores = model.scores(case.rows)
        got[kind].append(model.needed(scores, case.rows, case.sources, case.words) >= tuning.NEEDED)
    return {kind: round(100 * sum(found) / len(found), 1) for kind, found in got.items()}


def answered(samples: Mapping[str, Sample], model: Model) -> dict[str, float]:
    """Return by set, kind and least probability the share of questions that are answered by meaning, in percent.

    `right` are paraphrases and cues whose chosen candidate answers, `wrong` those whose candidate does not.
    """
    got: defaultdict[str, list[float]] = defaultdict(list)
    for set_, case in _asked_by_meaning(samples):
        scores = model.scores(case.rows)
        are_said = np.full(len(case.rows), _are_said(set_))
        place, chance = model.answered(scores, case.rows, case.sources, case.words, are_said)
        kind = case.kind
        if kind in MEANT:
            kind = "right" if case.gold[place] else "wrong"
        for least in (tuning.LEAST_MEANT, PROMPTED):
            got[f"{set_} {kind} {least}"].append(chance >= least)
    return {name: round(100 * sum(found) / len(found), 1) for name, found in sorted(got.items())}


def _half(samples: Mapping[str, Sample], *, tuned: bool) -> dict[str, Sample]:
    return {
        name: Sample(
            [case for case in one.cases if case.is_tuned == tuned],
            [case for case in one.foreign if case.is_tuned == tuned],
            [case for case in one.prompts if case.is_tuned == tuned],
        )
        for name, one in samples.items()
    }


def _as_json(model: Model) -> dict[str, object]:
    return {
        "features": {
            name: round(float(weight), 4)
            for name, weight in zip(FEATURES, model.features, strict=True)
            if weight
        },
        "score": round(model.score, 4),
        "page": {name: round(float(w), 4) for name, w in zip(PAGE, model.page, strict=True) if w},
        "bias": round(model.bias, 4),
        "own": {"behind": round(model.own[0], 4), "bias": round(model.own[1], 4)},
        "need": {name: round(float(w), 4) for name, w in zip(NEED, model.need, strict=True) if w},
        "need_bias": round(model.need_bias, 4),
        "meant": {
            name: round(float(w), 4) for name, w in zip(rank.MEANT, model.meant, strict=True) if w
        },
        "meant_bias": round(model.meant_bias, 4),
        "told": {"cosine": round(model.told[0], 4), "bias": round(model.told[1], 4)},
    }


#: What there is to go by without vectors.
WORDS_ALONE = [name for name in FEATURES if not ("apart" in name or name in ("cosine", "both"))]
WORDS_OF_PROMPTS = (*WORDS_ALONE, "lead", "lead_of_few", "asked")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--floor", type=float, default=RecallSettings().floor)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    vectors = Vectors(Path(tempfile.gettempdir()) / "signet-fit.sqlite")
    written: dict[str, object] = {}
    for name, by_meaning in (("meaning", True), ("words", False)):
        samples = sample(options.data, vectors, by_meaning=by_meaning)
        model = fit(_half(samples, tuned=True), by_meaning=by_meaning)
        judged = report(_half(samples, tuned=False), model, floor=options.floor)
        print(name, json.dumps(_as_json(model)))
        for set_, row in judged.items():
            print(f"  {set_:24}", "  ".join(f"{key} {value}" for key, value in row.items()))
        given = prompted(_half(samples, tuned=False), model)
        print("  prompts that get something:", given)
        meant = answered(_half(samples, tuned=False), model) if by_meaning else {}
        print("  answered by meaning:", meant)
        written[name] = {
            **_as_json(model),
            "held_out": {**judged, "prompts": given, "meant": meant},
        }
    if options.write:
        about = {"fitted": clock.to_text(clock.now())[:10], "sets": SETS, **written}
        WEIGHTS.write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
