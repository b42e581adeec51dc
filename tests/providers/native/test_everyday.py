"""What people find of their own notes with the model that comes with Signet (`loadtests/everyday`: invented people).

The figures are those of the load test `everyday`, here without a daemon and of one person of the half `believe`.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from recall.world import MODEL, NOW, SHARED, a_store, remember
from signet.db import Database, fts
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall.models import Query, RecallSettings, Result
from signet.domain.recall.recall import recall
from signet.providers.native.encoder import NativeEmbedder

FOLDER = Path(__file__).parents[3] / "loadtests" / "everyday"
PEOPLE: Mapping[str, Mapping[str, Any]] = {
    path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))
}
README_EXAMPLE = "I prefer tabs over spaces"

Asker = Callable[[str], Result]


def _noted(db: Database, embedder: NativeEmbedder, texts: list[str]) -> Asker:
    """Save texts under their place as id, and return what asks."""
    vectors = embedder.embed(texts)
    for place, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        db.write(remember, str(place), text, embedded=False)
        pairs = [(text, vector)]
        db.write(embeddings.replace, str(place), f"hash of {place}", pairs, MODEL, NOW)

    def ask(question: str) -> Result:
        asked = Query(text=question, reader=SHARED)
        read = cache(lambda: embedder.question(question))
        return db.read(
            lambda tx: recall(
                tx,
                asked,
                query_vector=lambda tells: read()(tells),
                settings=RecallSettings(),
                now=NOW,
            )
        )

    return ask


def test_the_example_of_the_readme_answers_beside_eighty_others(
    installed: Path, tmp_path: Path
) -> None:
    others = [one["text"] for name in ("owen", "lucia", "noor") for one in PEOPLE[name]["memories"]]
    with a_store(tmp_path) as db:
        ask = _noted(db, NativeEmbedder(installed), [README_EXAMPLE, *others[:80]])
        assert ask("indentation").hits[0].content == README_EXAMPLE


def test_what_was_noted_is_found_in_other_words_and_what_was_not_is_short(
    installed: Path, tmp_path: Path
) -> None:
    found: dict[str, list[int]] = {"natural": [], "paraphrase": [], "absent": []}
    person = PEOPLE["noor"]
    with a_store(tmp_path) as db:
        ask = _noted(db, NativeEmbedder(installed), [one["text"] for one in person["memories"]])
        for place, one in enumerate(person["memories"]):
            for kind in ("natural", "paraphrase"):
                for question in one.get(kind, ()):
                    first = [hit.id for hit in ask(question).hits[:3]]
                    found[kind].append(str(place) in first)
        for question in person["absent"]:
            answered = ask(question)
            found["absent"].append(len(answered.hits))
            assert answered.hits or answered.nearest
    shares = {kind: sum(values) / len(values) for kind, values in found.items()}
    assert shares["natural"] >= 0.9, shares
    assert shares["paraphrase"] >= 0.6, shares
    assert shares["absent"] <= 1.2, shares  # decision 58: weaker candidates fill short pages


@pytest.mark.parametrize("name", [name for name, one in PEOPLE.items() if one["language"] == "en"])
def test_a_paraphrase_shares_no_word_and_a_natural_question_one(name: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE note USING fts5 (text, tokenize='porter unicode61')")
    for one in PEOPLE[name]["memories"]:
        db.execute("DELETE FROM note")
        db.execute("INSERT INTO note VALUES (?)", (one["text"],))
        for kind in ("natural", "paraphrase"):
            for question in one.get(kind, ()):
                match = fts.any_of(fts.content_words(question))
                shares = db.execute("SELECT count(*) FROM note WHERE note MATCH ?", (match,))
                assert shares.fetchone()[0] == (kind == "natural"), question
    db.close()
