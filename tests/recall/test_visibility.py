"""Who may read what, on every channel of recall (MEM-42)."""

from typing import Any

import pytest

from recall.world import ask, found, remember
from signet.db import Database, WriteTx
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.agents import registry as agents
from signet.domain.recall.models import Filters
from signet.errors import Invalid

TEXT = "The harbour gate code"


def _agent(tx: WriteTx, agent_id: str, policy: str, group: str | None = None) -> None:
    tx.run(
        "INSERT INTO agents (id, read_policy, policy_group, created_at, updated_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET read_policy = excluded.read_policy, policy_group = excluded.policy_group",
        (agent_id, policy, group, "2026-01-01", "2026-01-01"),
    )


def _world(tx: WriteTx) -> None:
    _agent(tx, "anna", "isolated")
    _agent(tx, "bert", "group", "crew")
    _agent(tx, "cleo", "group", "crew")
    _agent(tx, "dora", "shared")
    _agent(tx, "emil", "a policy of no version")
    for agent in ("anna", "bert", "cleo", "dora"):
        for visibility in ("global", "private", "archived"):
            remember(
                tx,
                f"{agent} {visibility}",
                f"{TEXT} of {agent}, {visibility}",
                agent_id=agent,
                visibility=visibility,
            )


def _seen(db: Database, agent_id: str) -> set[str]:
    reader = db.read(agents.reader, agent_id)
    return set(found(ask(db, TEXT, reader=reader, by_meaning=True, limit=50)))


@pytest.mark.parametrize(
    ("agent_id", "seen"),
    [
        ("anna", {"anna global", "anna private"}),
        ("bert", {"bert global", "bert private", "cleo global"}),
        ("dora", {"dora global", "dora private", "anna global", "bert global", "cleo global"}),
        ("emil", set()),
        ("nobody", set()),
    ],
)
def test_an_agent_sees_what_its_policy_allows(db: Database, agent_id: str, seen: set[str]) -> None:
    db.write(_world)
    assert _seen(db, agent_id) == seen


def test_the_default_agent_shares_though_it_was_never_registered(db: Database) -> None:
    db.write(_world)
    db.write(lambda tx: tx.run("DELETE FROM agents WHERE id = 'default'"))
    assert _seen(db, "default") == {"anna global", "bert global", "cleo global", "dora global"}


def test_an_unknown_policy_word_shows_least(db: Database) -> None:
    db.write(_world)
    db.write(_agent, "anna", "everything")
    assert _seen(db, "anna") == {"anna global", "anna private"}


def test_a_scope_sees_only_itself_and_no_scope_only_rows_without(db: Database) -> None:
    db.write(remember, "plain", TEXT)
    db.write(remember, "scoped", f"{TEXT} again", scope="trial")
    inside = Reader(policy=ReadPolicy.SHARED, scope="trial")
    anywhere = Reader(policy=ReadPolicy.SHARED, any_scope=True)
    assert found(ask(db, TEXT)) == ["plain"]
    assert found(ask(db, TEXT, reader=inside)) == ["scoped"]
    assert set(found(ask(db, TEXT, reader=anywhere))) == {"plain", "scoped"}


def test_a_reader_bound_to_a_project_cannot_ask_for_another(db: Database) -> None:
    db.write(remember, "mine", TEXT, project="a")
    db.write(remember, "theirs", TEXT, project="b")
    bound = Reader(policy=ReadPolicy.SHARED, project="a")
    assert found(ask(db, TEXT, reader=bound)) == ["mine"]
    assert found(ask(db, TEXT, reader=bound, filters=Filters(project="b"))) == []


def test_forgotten_memories_are_not_recalled(db: Database) -> None:
    db.write(remember, "a", TEXT)
    db.write(lambda tx: tx.run("UPDATE memories SET is_deleted = 1"))
    assert found(ask(db, TEXT, by_meaning=True)) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(type="decision"), {"b"}),
        (Filters(who="mia"), {"b"}),
        (Filters(pinned=True), {"b"}),
        (Filters(importance_min=0.8), {"b"}),
        (Filters(project="p"), {"b"}),
        (Filters(tags=("red",)), {"b"}),
        (Filters(tags=("red", "blue")), {"b"}),
        (Filters(tags=("red", "green")), set()),
        (Filters(tags=("re",)), set()),
        (Filters(tags=("old",)), {"a"}),
        (Filters(since="2026-02-25"), {"b"}),
        (Filters(until="2026-02-25"), {"a"}),
        (Filters(since="2026-02-28T12:00:00Z", until="2026-02-28"), {"b"}),
        (Filters(since="2026-02-28T13:00:00+01:00"), {"b"}),
        (Filters(since="2026-02-28T12:00:00.001Z"), set()),
    ],
)
def test_a_filter_holds_on_every_channel(
    db: Database, filters: Filters, expected: set[str]
) -> None:
    db.write(remember, "a", f"{TEXT} boat", days_ago=10, tags="old, stale")
    columns: dict[str, Any] = {
        "type": "decision",
        "who": "mia",
        "pinned": 1,
        "importance": 0.8,
        "project": "p",
    }
    db.write(remember, "b", f"{TEXT} boat ship", tags='["Red", "blue"]', **columns)
    for by_meaning in (False, True):
        assert set(found(ask(db, "boat", filters=filters, by_meaning=by_meaning))) == expected


def test_a_time_that_is_none_is_refused(db: Database) -> None:
    with pytest.raises(Invalid, match="since"):
        ask(db, TEXT, filters=Filters(since="yesterday-ish"))


def test_a_rare_filter_finds_what_comparing_every_row_finds(db: Database) -> None:
    def fill(tx: WriteTx) -> None:
        for number in range(400):
            remember(tx, f"near {number}", "boat ship sailing", project="big")
        remember(tx, "far", "tea and a boat and coffee", project="small")

    db.write(fill)
    small = Filters(project="small")
    assert found(ask(db, "vessel", by_meaning=True, filters=small)) == ["far"]


def test_the_limit_is_kept_between_one_and_a_hundred(db: Database) -> None:
    for number in range(3):
        db.write(remember, f"m{number}", f"{TEXT} {number}")
    assert len(found(ask(db, TEXT, limit=-5))) == 1
    assert len(found(ask(db, TEXT, limit=2))) == 2
    assert len(found(ask(db, TEXT, limit=10**9))) == 3
