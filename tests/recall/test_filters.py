"""Filters never cost recall: what a filtered question finds is what a scan of every row finds."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recall.world import MODEL, NOW, SHARED, a_store, ask, found, remember
from signet import clock
from signet.db import Database, ReadTx, WriteTx, vector_cache, vectors
from signet.db.visibility import Reader
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall import vector, view
from signet.domain.recall.models import Filters, Query
from signet.domain.recall.vector import MemoryVectors
from support.processes import eventually

COUNT = 600
WIDTH = 20
LIMIT = 12

#: One in so many memories passes a filter.
SHARES = (2, 9, 50, 590)

FILTERS: dict[str, Callable[[int], Filters]] = {
    "type": lambda share: Filters(type=f"one in {share}"),
    "project": lambda share: Filters(project=f"one in {share}"),
    "who": lambda share: Filters(who=f"one in {share}"),
    "tags": lambda share: Filters(tags=(f"one in {share}", "any")),
    "pinned": lambda share: Filters(pinned=True, importance_min=1 - 2 / share),
    "importance": lambda share: Filters(importance_min=1 - 1 / share),
    "since": lambda share: Filters(since=_day(COUNT - COUNT // share)),
    "until": lambda share: Filters(until=_day(COUNT // share)),
}


def _day(number: int) -> str:
    return clock.to_text(NOW - timedelta(days=COUNT - number))


def _fill(tx: WriteTx) -> None:
    """Save memories that all hold one word, a third another and some a third one."""
    chance = random.Random(3)
    for number in range(COUNT):
        mark = next((f"one in {n}" for n in reversed(SHARES) if number % n == 1), "any other")
        brick, slate = number % 3 == 1, number % 40 == 11
        words = "house" + " brick" * brick + " slate" * slate + " stairs" * (number % 5)
        remember(
            *(tx, f"m{number}", words),
            embedded=False,
            days_ago=COUNT - number,
            type=mark,
            project=mark,
            who=mark,
            tags=f'["{mark}", "any"]',
            pinned=number % 2,
            importance=chance.random(),
            agent_id=mark,
        )
        pairs = [("text", vectors.pack(chance.gauss(0, 1) for _ in range(WIDTH)))]
        embeddings.replace(tx, f"m{number}", f"hash of m{number}", pairs, MODEL, NOW)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with (
        a_store(Path(tmp_path_factory.mktemp("filters"))) as opened,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(vector_cache, "WORTH", 1)
        opened.write(_fill)
        eventually(lambda: opened.read(_signs) is not None)
        yield opened


def _signs(tx: ReadTx) -> object:
    assert tx.caches is not None
    return tx.caches.get(MemoryVectors).fresh(tx, WIDTH, MODEL)


def _agrees(tx: ReadTx, query: Query) -> None:
    """Compare what both channels find with what a scan finds."""
    where, asked = view.condition(query), view.view_of(tx, query)
    passing = {
        row[0]: row[1]
        for row in tx.all(
            f"SELECT m.seq, m.content FROM memories m WHERE {where.sql}", where.params
        )
    }
    assert set(asked.flags.nonzero()[0].tolist()) == set(passing)
    chance = random.Random(7)
    for _ in range(3):
        question = vectors.pack(chance.gauss(0, 1) for _ in range(WIDTH))
        near = vector.find(tx, question, asked, LIMIT, model=MODEL)
        every = vector.exact(tx, question, where, model=MODEL)
        assert set(every) == set(passing)
        assert list(near) == sorted(every, key=lambda seq: (-every[seq], -seq))[:LIMIT]
    for words in (["slate"], ["slate", "brick"], ["slate", "brick", "house"], ["house"]):
        chosen = view.best_by_words(tx, words, asked, LIMIT)
        holding = {seq for seq, text in passing.items() if not set(words).isdisjoint(text.split())}
        rarest = {seq for seq, text in passing.items() if words[0] in text.split()}
        assert len(chosen) == min(LIMIT, len(holding))
        assert set(chosen) <= holding
        assert len(rarest) > LIMIT or rarest <= set(chosen)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_leaves_what_a_scan_finds(db: Database, name: str, share: int) -> None:
    query = Query(text="", reader=SHARED, filters=FILTERS[name](share))
    db.read(_agrees, query)


ODD_TAGS = ("Two words", 'say "x"', "back\\slash", "überblick", "日記", "50%", "a_b", "c++")


@pytest.mark.parametrize("number", range(len(ODD_TAGS)))
def test_any_tag_is_found_whole_as_it_was_saved(tmp_path: Path, number: int) -> None:
    with a_store(tmp_path) as db:
        for place, tag in enumerate(ODD_TAGS):
            both = json.dumps([tag, "any"], ensure_ascii=False)
            db.write(remember, f"t{place}", "a house", embedded=False, tags=both)
        db.write(remember, "part", "a house", embedded=False, tags='["xtwo wordsx"]')
        filters = Filters(tags=(ODD_TAGS[number],))
        assert found(ask(db, "house", filters=filters, floor=0.0)) == [f"t{number}"]


@pytest.mark.parametrize("share", SHARES)
def test_a_reader_finds_what_a_scan_of_its_memories_finds(db: Database, share: int) -> None:
    db.read(_agrees, Query(text="", reader=Reader(agent_id=f"one in {share}")))


def test_a_narrow_filter_keeps_what_holds_only_a_word_of_most_rows(db: Database) -> None:
    """Without vectors such rows have nothing but that word."""
    filters = Filters(project="one in 590")
    for text in ("house", "slate house"):
        assert sorted(found(ask(db, text, filters=filters, floor=0.0))) == ["m1", "m591"]


@pytest.mark.parametrize(
    "asked",
    ["Überblick", "überblick", "ÜBERBLICK", "übersicht"],
    ids=["same", "small", "large", "other"],
)
def test_a_tag_is_found_in_any_case_of_any_letter(tmp_path: Path, asked: str) -> None:
    with a_store(tmp_path) as db:
        db.write(remember, "json", "a house", embedded=False, tags='["Überblick", 7]')
        db.write(remember, "list", "a house too", embedded=False, tags="other, Überblick")
        db.write(remember, "none", "a house", embedded=False, tags='["Rückblick"]')
        with_tag = found(ask(db, "house", filters=Filters(tags=(asked,)), floor=0.0))
        assert sorted(with_tag) == (["json", "list"] if asked != "übersicht" else [])
