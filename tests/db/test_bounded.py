"""Caches by agent, word or token have a limit, and drop what was used least recently."""

from pathlib import Path

from signet.db import Database, WriteTx
from signet.db.caches import Bounded
from signet.domain.learning import sql
from signet.domain.learning.worth import Cache
from support.database import fresh_database


def test_the_least_recently_used_values_go_first() -> None:
    kept: Bounded[str, list[int]] = Bounded(5, len)
    kept.put("a", [1, 2])
    kept.put("b", [3, 4])
    assert kept.get("a") == [1, 2]
    kept.put("c", [5, 6])
    assert [kept.get(key) for key in "abc"] == [[1, 2], None, [5, 6]]
    kept.put("a", [1])
    kept.put("d", [7, 8])
    assert [kept.get(key) for key in "acd"] == [[1], [5, 6], [7, 8]]


def test_one_value_may_be_larger_than_all_others_together() -> None:
    kept: Bounded[str, list[int]] = Bounded(2, len)
    kept.put("small", [1])
    kept.put("large", [1, 2, 3])
    assert (kept.get("small"), kept.get("large"), len(kept)) == (None, [1, 2, 3], 1)


def test_the_worth_of_few_agents_is_kept(tmp_path: Path) -> None:
    db = Database(fresh_database(tmp_path / "memories.db"))

    def label(tx: WriteTx) -> None:
        for number in range(6):
            tx.run(sql.PUT_WORTH, (f"agent{number}", "m", 1, 1, 1.1, 1.0))

    db.write(label)
    cache = Cache(most=3)
    read = {number: db.read(cache.worth_of, f"agent{number}") for number in (0, 1, 2, 0, 3, 4)}
    assert all(one.change for one in read.values())
    assert len(cache) == 3
    assert db.read(cache.worth_of, "agent0") is read[0]
    assert db.read(cache.worth_of, "agent2") is not read[2]
    db.close()
