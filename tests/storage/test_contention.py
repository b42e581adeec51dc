"""Saves of two hosts that mention the same entity at once: neither waits for the other or runs again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recall.world import NOW
from signet import engine
from signet.db import Database, ReadTx, WriteTx
from signet.domain.graph import link
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, NewMemory, Rules
from storage.hosts import rows
from support.database import ENGINES, fresh_database

ACTOR = Actor(name="test")
RULES = Rules()
MENTIONS = "SELECT mentions FROM entities WHERE canonical_name = ?"
DUE = "SELECT count(*) FROM mentions_due"


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    with ENGINES.during(on_postgres=True):
        one = Database(fresh_database(tmp_path / "memories.db"))
        engine.use(tmp_path / "other.db", one.url)
        other = Database(tmp_path / "other.db")
        yield one, other
        other.close()
        one.close()


def save(tx: WriteTx, text: str) -> str:
    new = NewMemory(content=text, agent_id="default")
    return remember.remember(tx, new, actor=ACTOR, rules=RULES, now=NOW).id


def mentions(tx: ReadTx, name: str = "kubernetes") -> int:
    return int(tx.value(MENTIONS, (name,)))


def test_two_saves_at_once_mention_the_same_entity(hosts: tuple[Database, Database]) -> None:
    one, other = hosts
    one.write(save, "Kubernetes runs the jobs. We chose Kubernetes over Nomad.")
    tries = 0

    def both(tx: WriteTx) -> None:
        nonlocal tries
        tries += 1
        save(tx, f"Kubernetes restarts the workers, try {tries}. We chose Kubernetes over Nomad.")
        other.write(
            save, f"Kubernetes scales with load, try {tries}. We chose Kubernetes over Nomad."
        )

    one.write(both)
    assert tries == 1
    assert one.read(mentions) == other.read(mentions) == one.read(mentions, "nomad") == 3
    assert rows(str(one.url), DUE) == [(0,)]


def test_a_transaction_that_reads_mentions_sees_its_own_and_committed_ones(
    hosts: tuple[Database, Database],
) -> None:
    one, _ = hosts
    kept = one.write(save, "Kubernetes runs the jobs.")

    def change(tx: WriteTx) -> list[int]:
        found = [mentions(tx)]
        new = save(tx, "Kubernetes restarts the workers.")
        every = tx.one("SELECT * FROM entities WHERE canonical_name = 'kubernetes'")
        assert every is not None
        found.append(every["mentions"])
        link.unlink(tx, [new], now=NOW)
        return [*found, mentions(tx)]

    assert one.write(change) == [1, 2, 1]
    one.write(link.unlink, [kept], now=NOW)
    assert one.read(lambda tx: tx.value(MENTIONS, ("kubernetes",))) is None


def test_mentions_of_a_host_that_died_are_counted_with_the_next_save(
    hosts: tuple[Database, Database],
) -> None:
    one, other = hosts
    one.write(save, "Kubernetes runs the jobs.")
    [(entity,)] = rows(str(one.url), "SELECT id FROM entities WHERE canonical_name = 'kubernetes'")
    left = f"INSERT INTO mentions_due (entity_id, more, at) VALUES ('{entity}', 1, '2026')"
    rows(str(one.url), left)
    assert one.read(mentions) == 1
    other.write(save, "Kubernetes restarts the workers.")
    assert one.read(mentions) == 3
