"""Questions over the session that comes with Signet: what answers stands among the first three.

`larder.json` holds the memories of the session and the facts read from it, and the vector of each text as the native
model gives it, rounded to eight bits, so that neither a model nor the pipeline is needed to ask.
"""

import base64
import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

from recall.world import MODEL, NOW, SHARED, a_store, remember
from signet.cli.quickstart import learn
from signet.db import Database, WriteTx, vectors
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall.models import Query, RecallSettings
from signet.domain.recall.recall import recall
from signet.resources import template


class Memory(TypedDict):
    """A paragraph of the session (`ordinal`), or a fact read `of` one."""

    text: str
    type: str
    vector: str
    ordinal: NotRequired[int]
    of: NotRequired[int]


class Question(TypedDict):
    """A question, and what a memory must say to answer it (one is enough)."""

    question: str
    answers: list[str]
    vector: str


with Path(__file__).with_name("larder.json").open(encoding="utf-8") as told:
    _told = json.load(told)
MEMORIES: list[Memory] = _told["memories"]
QUESTIONS: list[Question] = _told["questions"]

FIRST = 3

#: Nothing says "Mira" beside the answer, or the answer shares no word with the question and little meaning.
BEYOND_BY_MEANING = {"Who is Mira's husband?", "Where does Larder keep its data?"}
#: One word of three is too little; "Jonas" occurs twice.
BEYOND_BY_WORDS = {
    "Which food is dangerous for Jonas?",
    "What is Mira's job?",
    "Which database does Larder use, and why?",
    "Where does Larder keep its data?",
}


def _vector(text: str) -> bytes:
    return vectors.pack(array("b", base64.b64decode(text)))


def _save(tx: WriteTx) -> None:
    for number, memory in enumerate(MEMORIES):
        is_fact = "of" in memory
        remember(
            *(tx, f"m{number}", memory["text"]),
            embedded=False,
            type=memory["type"],
            source_type="pipeline-v2" if is_fact else "session",
            source_id=f"m{memory['of']}" if is_fact else "larder",
            ordinal=memory.get("ordinal"),
        )
        pairs = [(memory["text"], _vector(memory["vector"]))]
        embeddings.replace(tx, f"m{number}", f"hash of m{number}", pairs, MODEL, NOW)


@pytest.fixture(scope="module")
def larder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with a_store(tmp_path_factory.mktemp("larder")) as db:
        db.write(_save)
        yield db


def _beyond(db: Database, *, by_meaning: bool) -> set[str]:
    """Return the questions whose answer does not stand among the first."""
    return {asked["question"] for asked in QUESTIONS if not _is_first(db, asked, by_meaning)}


def _is_first(db: Database, asked: Question, by_meaning: bool) -> bool:
    query = Query(text=asked["question"], reader=SHARED)
    vector = _vector(asked["vector"]) if by_meaning else None
    result = db.read(
        lambda tx: recall(
            tx, query, query_vector=lambda _: vector, settings=RecallSettings(), now=NOW
        )
    )
    return any(answer in hit.content for hit in result.hits[:FIRST] for answer in asked["answers"])


def test_the_memories_are_those_of_the_session() -> None:
    pieces = learn.read(template("quickstart-session.jsonl")).pieces
    assert [memory["text"] for memory in MEMORIES if "ordinal" in memory] == list(pieces)


def test_answers_stand_among_the_first_three(larder: Database) -> None:
    assert _beyond(larder, by_meaning=True) <= BEYOND_BY_MEANING


def test_by_words_alone_they_do_as_well(larder: Database) -> None:
    assert _beyond(larder, by_meaning=False) <= BEYOND_BY_WORDS
