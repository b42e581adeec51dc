"""What ranking keeps in memory is what the rows say, whatever happens to them and whoever does it."""

import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from recall.world import NOW, SHARED, a_store, ask, found, remember
from signet.db import Database, ReadTx, WriteTx, fts
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.memory import marks
from signet.domain.recall import columns, view
from signet.domain.recall.columns import Columns
from signet.domain.recall.models import Filters, Query
from signet.domain.recall.sql import reading

WORDS = ("boat", "kettle", "violin", "harbour", "long-term")
READERS = (
    SHARED,
    Reader(agent_id="ann"),
    Reader(agent_id="ann", policy=ReadPolicy.GROUP, group="crew"),
    Reader(policy=ReadPolicy.SHARED, scope="ship"),
    Reader(policy=ReadPolicy.SHARED, any_scope=True, project="north"),
)
FILTERS = (
    Filters(),
    Filters(project="north", pinned=False),
    Filters(type="decision", importance_min=0.4),
    Filters(who="Zoë", tags=("sea",)),
    Filters(since="2026-02-20", until="2026-02-26"),
)


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices((*WORDS, "and", "then", "so?"), k=chance.randint(1, 12)))


def _row(chance: random.Random) -> dict[str, object]:
    return {
        "agent_id": chance.choice(("default", "ann", "bob")),
        "visibility": chance.choice(("global", "global", "private", "archived")),
        "scope": chance.choice((None, None, "ship")),
        "project": chance.choice((None, "north", "south")),
        "type": chance.choice(("fact", "decision")),
        "who": chance.choice((None, "Zoë")),
        "importance": chance.choice((None, 0.4, 0.7)),
        "pinned": chance.choice((0, 1)),
        "tags": chance.choice((None, '["sea"]')),
        "source_type": "session",
        "source_id": chance.choice((None, "s1", "s2")),
        "ordinal": chance.choice((None, chance.randrange(1_000))),
    }


def _change(tx: WriteTx, chance: random.Random, number: int) -> None:
    """Save, read a fact from, change, forget, recover, purge or use a memory."""
    one = f"m{chance.randrange(40)}"
    if tx.value("SELECT 1 FROM memories WHERE id = ?", (one,)) is None:
        row = _row(chance)
        if chance.random() < 0.3:
            row |= {"source_type": "pipeline-v2", "source_id": f"m{chance.randrange(40)}"}
        days = chance.randrange(12)
        remember(tx, one, _text(chance), embedded=False, days_ago=days, **row)
        return
    match chance.randrange(6):
        case 0:
            tx.run("UPDATE memories SET content = ? WHERE id = ?", (_text(chance), one))
        case 1:
            column, value = chance.choice(list(_row(chance).items()))
            tx.run(f"UPDATE memories SET {column} = ? WHERE id = ?", (value, one))
        case 2:
            deleted = chance.choice((0, 1))
            tx.run("UPDATE memories SET is_deleted = ? WHERE id = ?", (deleted, one))
        case 3:
            tx.run("DELETE FROM memories WHERE id = ?", (one,))
        case 4:
            marks.count_use(tx, [one], now=NOW)
        case 5:
            tx.run("UPDATE memories SET superseded_by = 'm1' WHERE id = ?", (one,))


def _agree(tx: ReadTx) -> None:
    """Compare flags, words, columns and neighbours with what SQL says of the same snapshot."""
    for reader in READERS:
        for filters in FILTERS:
            query = Query(text="", reader=reader, filters=filters)
            where = view.condition(query)
            seen = view.view_of(tx, query)
            assert seen.flags.nonzero()[0].tolist() == sorted(reading.passing(tx, where))
    seen = view.view_of(tx, Query(text="", reader=Reader(any_scope=True, policy=ReadPolicy.SHARED)))
    every = [row[0] for row in tx.all("SELECT seq FROM memories ORDER BY seq")]
    for word in WORDS:
        ranks = {row[0]: -row[1] for row in reading.ranks(tx, fts.any_of([word]), 1_000)}
        (held,) = view.bm25_of_each(tx, [word], every, seen).tolist()
        found = {seq: bm25 for seq, bm25 in zip(every, held, strict=True) if bm25}
        assert found == pytest.approx(ranks, rel=columns.DRIFT)
    table = seen.table
    assert table.count == len(every)
    fresh = columns.Table()
    fresh.put(reading.ranked(tx, every))
    for name in {*columns.TYPES} - {*columns.LAZY}:
        assert (table[name][every] == fresh[name][every]).all() or name == "importance", name
    assert table.beside(tx, every) == fresh.beside(tx, every)


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_changes_leaves_the_columns_as_the_rows_are(
    db: Database, seed: int
) -> None:
    chance = random.Random(seed)
    db.write(
        lambda tx: tx.run(
            "INSERT INTO agents (id, name, read_policy, policy_group, created_at, updated_at)"
            " VALUES ('bob', 'bob', 'group', 'crew', '', '')"
        )
    )
    for step in range(40):
        for number in range(chance.choice((1, 1, 5))):
            db.write(_change, chance, step * 10 + number)
        db.read(_agree)


def test_a_word_weighs_what_fts5_says_it_does(db: Database) -> None:
    chance = random.Random(5)
    for number in range(60):
        db.write(remember, f"m{number}", _text(chance), embedded=False)

    def both(tx: ReadTx) -> None:
        seen = view.view_of(tx, Query(text="", reader=SHARED))
        for word in WORDS:
            ranks = {row[0]: -row[1] for row in reading.ranks(tx, fts.any_of([word]), 1_000)}
            (scores,) = view.bm25_of_each(tx, [word], list(ranks), seen).tolist()
            assert scores == pytest.approx(list(ranks.values()), rel=1e-5)

    db.read(both)


def elsewhere(path: str) -> None:
    """Change memories as another process does."""
    other = Database(Path(path))
    other.write(remember, "new", "A harbour", embedded=False)
    other.write(lambda tx: tx.run("UPDATE memories SET content = 'A violin' WHERE id = 'a'"))
    other.write(lambda tx: tx.run("UPDATE memories SET visibility = 'archived' WHERE id = 'b'"))
    other.close()


@pytest.mark.sqlite_file
def test_what_another_process_changes_is_seen_at_once(db: Database, tmp_path: Path) -> None:
    db.write(remember, "a", "A boat", embedded=False)
    db.write(remember, "b", "A kettle", embedded=False)
    assert [found(ask(db, word)) for word in ("boat", "kettle", "harbour")] == [["a"], ["b"], []]
    program = "import sys; from recall import test_columns as t; t.elsewhere(sys.argv[1])"
    command = [sys.executable, "-c", program, str(tmp_path / "memories.db")]
    subprocess.run(command, env={"PYTHONPATH": ":".join(sys.path)}, check=True)
    assert [found(ask(db, word)) for word in ("boat", "kettle", "harbour", "violin")] == [
        [],
        [],
        ["new"],
        ["a"],
    ]
    db.read(_agree)


@pytest.mark.sqlite_file
def test_more_changes_than_are_kept_are_seen(db: Database) -> None:
    def many(tx: WriteTx) -> None:
        for _ in range(10_500):
            tx.run("INSERT INTO memory_changes (seq) VALUES (1)")

    db.write(remember, "a", "A boat", embedded=False)
    assert found(ask(db, "boat")) == ["a"]
    db.write(many)
    db.write(lambda tx: tx.run("UPDATE memories SET content = 'A violin' WHERE id = 'a'"))
    db.write(many)
    assert found(ask(db, "violin")) == ["a"]
    assert db.read(lambda tx: tx.value("SELECT count(*) FROM memory_changes")) == 10_000


def test_a_file_that_was_put_back_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same number of changes, and fewer, each with other rows; the process keeps what it derives from a file."""
    monkeypatch.setattr(columns, "OLDEST_SNAPSHOT_MS", -1)
    for name, rows in (("one", 3), ("two", 3), ("few", 1)):
        with a_store(tmp_path / name) as db:
            for number in range(rows):
                db.write(remember, f"{name}{number}", f"A boat of {name}", embedded=False)
    kept = Columns()

    def boats(tx: ReadTx) -> list[str]:
        table, _ = kept.fresh(tx)
        return list(reading.ids(tx, table["exists"].nonzero()[0].tolist()).values())

    for name, rows in (("one", 3), ("two", 3), ("few", 1), ("one", 3)):
        with closing(Database(tmp_path / name / "memories.db")) as db:
            assert db.read(boats) == [f"{name}{number}" for number in range(rows)]
            table, _ = db.read(lambda tx: kept.fresh(tx))
            fresh = columns.Table()
            fresh.put(db.read(lambda tx: reading.ranked(tx, [1, 2, 3])))
            assert (table["created_at"] == fresh["created_at"]).all()
            assert table.count == rows


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is the key?", True),
        ('He asked: "where is it?"', True),
        ("どこですか？", True),
        ("Is it? It is.", False),
        ("a" * 100 + "?", False),
        ("", False),
    ],
)
def test_a_question_is_known_by_its_end(db: Database, text: str, asks: bool) -> None:
    db.write(remember, "a", text, embedded=False)
    table, _ = db.read(lambda tx: Columns().fresh(tx))
    assert table["asks"][1] == asks


@pytest.mark.sqlite_file
def test_rows_that_are_odd_do_not_keep_others_from_being_found(db: Database) -> None:
    db.write(remember, "a", "A boat", embedded=False)
    db.write(remember, "b", "A boat too", embedded=False)
    odd = "created_at = ?, last_accessed = 'never', importance = 'much', access_count = 1 << 40, ordinal = 1 << 40"
    db.write(lambda tx: tx.run(f"UPDATE memories SET {odd} WHERE id = 'b'", ("ä" * 40,)))
    assert set(found(ask(db, "boat"))) == {"a", "b"}


def test_a_hundred_thousand_memories_take_less_than_40_mb() -> None:
    table = columns.Table()
    table._make_room(100_000)
    size = sum(column.nbytes for column in table._columns.values())
    assert size + 8 * columns.MOST_ROWS < 40_000_000


def test_a_word_of_very_many_rows_is_found_in_all_of_them(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "MOST_RANKED", 5)
    for number in range(12):
        db.write(remember, f"m{number}", f"A kettle of kind {number}", embedded=False)
    assert len(found(ask(db, "kettle", limit=50))) == 12
    db.write(remember, "new", "Another kettle", embedded=False)
    assert "new" in found(ask(db, "kettle", limit=50))


def test_questions_are_answered_while_the_columns_grow(db: Database) -> None:
    """Whole columns are compared for each question, and other threads put new rows into them meanwhile."""

    def fill(tx: WriteTx) -> None:
        for number in range(5_000):
            remember(tx, f"m{number}", f"boat {number} harbour", embedded=False)

    db.write(fill)
    query = Query(text="boat", reader=Reader(agent_id="default"))
    db.read(view.view_of, query)
    is_over = threading.Event()

    def save() -> None:
        for number in range(150):
            db.write(remember, f"x{number}", f"kettle {number}", embedded=False)
        is_over.set()

    def ask() -> int:
        asked = 0
        while not is_over.is_set():
            db.read(view.view_of, query)
            asked += 1
        return asked

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(ask) for _ in range(3)]
        pool.submit(save).result()
        assert all(reader.result() > 0 for reader in readers)
