"""The second barrier: a read for a caller with limits shows nothing of another person, also without a condition."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signet.db import Database, ReadTx, WriteTx, barrier
from signet.db.driver import sqlite
from signet.db.visibility import Reader
from signet.domain.auth.caller import BACKGROUND, OWNER, Caller, CallerStanding, acting_for
from signet.domain.auth.tokens import Claims, TokenScope
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.domain.recall import view
from signet.domain.recall.models import Query
from signet.wire.access import Role, Verb
from support.database import ENGINES, fresh_database

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
#: Statements that have forgotten whose rows are meant.
MEMORIES = "SELECT content FROM memories"
OTHERS = "SELECT title FROM documents"
BILLING = frozenset({("billing", Verb.READ)})


def holder(role: Role = Role.AGENT, **scope: object) -> Caller:
    claims = Claims(
        sub="x",
        role=role,
        scope=TokenScope(**scope),  # type: ignore[arg-type]
        iat=0,
        exp=0,
    )
    return Caller(standing=CallerStanding.CLAIMS, claims=claims)


def save(tx: WriteTx, owner: str, visibility: str) -> None:
    new = NewMemory(content=f"{owner} {visibility}", agent_id=owner)
    actor = Actor(name="x", type="agent")
    saved = remember.remember(tx, new, actor=actor, rules=Rules(), now=NOW)
    tx.run("UPDATE memories SET visibility = ? WHERE id = ?", (visibility, saved.id))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with ENGINES.during(on_postgres=True):
        found = Database(fresh_database(tmp_path / "memories.db"))
        for owner in ("user:ines", "user:jorn", "alice"):
            for visibility in ("private", "global", "space:billing"):
                found.write(save, owner, visibility)
            found.write(
                lambda tx, owner: tx.run(
                    "INSERT INTO documents (id, source_type, title, agent_id, created_at, updated_at)"
                    " VALUES (?, 'text', ?, ?, '', '')",
                    (owner, owner, owner),
                ),
                owner,
            )
        yield found
        found.close()


def seen(db: Database, asked: Caller, statement: str = MEMORIES) -> set[str]:
    with acting_for(asked):
        return set(db.read(ReadTx.column, statement))


ALL = {
    f"{owner} {visibility}"
    for owner in ("user:ines", "user:jorn", "alice")
    for visibility in ("private", "global", "space:billing")
}
GLOBAL = {one for one in ALL if one.endswith("global")}
SPACED = {one for one in ALL if one.endswith("billing")}


def test_a_forgotten_condition_shows_nothing_of_another_person(db: Database) -> None:
    assert seen(db, holder(user="ines")) == GLOBAL | {"user:ines private"}
    assert seen(db, holder(user="ines", spaces=BILLING)) == GLOBAL | {"user:ines private"} | SPACED
    assert seen(db, holder(user="kim")) == GLOBAL
    assert seen(db, holder(agent="alice")) == GLOBAL | {"alice private"}
    assert seen(db, holder(Role.OPERATOR)) == GLOBAL | {"alice private"}
    assert seen(db, holder(agent="x' OR signet_reader() = 'x")) == GLOBAL
    assert seen(db, holder(user="ines"), OTHERS) == {"user:ines", "alice"}
    assert seen(db, holder(Role.OPERATOR), OTHERS) == {"alice"}


@pytest.mark.parametrize("asked", [OWNER, BACKGROUND, holder(Role.ADMIN)])
def test_who_has_no_limits_sees_every_row(db: Database, asked: Caller) -> None:
    assert seen(db, asked) == ALL
    assert seen(db, holder(user="kim")) == GLOBAL and seen(db, asked) == ALL


def test_a_write_and_what_fills_a_cache_see_every_row(db: Database) -> None:
    with acting_for(holder(user="kim")):
        assert set(db.write(ReadTx.column, MEMORIES)) == ALL

        def read(tx: ReadTx) -> tuple[int, int, int]:
            count = f"SELECT count(*) FROM ({MEMORIES})"
            before = tx.value(count)
            with barrier.lifted(tx.connection):
                lifted = tx.value(count)
            return before, lifted, tx.value(count)

        assert db.read(read) == (len(GLOBAL), len(ALL), len(GLOBAL))


def test_a_failed_statement_ends_neither_the_read_nor_the_barrier(db: Database) -> None:
    def read(tx: ReadTx) -> list[str]:
        with pytest.raises(sqlite.OperationalError, match="nothing"):
            tx.all("SELECT 1 FROM nothing")
        return tx.column(MEMORIES)

    with acting_for(holder(user="kim")):
        assert set(db.read(read)) == GLOBAL
    assert set(db.read(read)) == ALL
    with pytest.raises(sqlite.OperationalError, match="is aborted"):
        db.write(read)


def test_a_memory_that_a_limited_caller_recalled_first_is_complete_for_others(db: Database) -> None:
    def rows(asked: Caller, agent: str) -> int:
        query = Query(text="private", reader=Reader(agent_id=agent))
        with acting_for(asked):
            return int(db.read(view.view_of, query).flags.sum())

    assert rows(holder(user="kim"), "user:kim") == 0
    assert rows(OWNER, "user:jorn") == 2
