"""Which of two things that memories tell of one entity takes the other's place."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from signet.db import WriteTx
from signet.domain.graph import contradictions
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, NewMemory, Rules

EARLY, LATE = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
PARIS = "The engineer Alice Kern lives in Paris."
BERLIN = "The engineer Alice Kern moved to Berlin."


def told(tx: WriteTx, text: str, at: datetime, **columns: object) -> str:
    """Save a memory that the graph links to Alice Kern, and set columns of its row."""
    new = NewMemory(content=text, created_at=at)
    saved = remember.remember(tx, new, actor=Actor(name="test"), rules=Rules(), now=LATE).id
    for name, value in columns.items():
        tx.run(f"UPDATE memories SET {name} = ? WHERE id = ?", (value, saved))
    return saved


def replaced(tx: WriteTx, *memory_ids: str) -> list[str]:
    """Return whose attributes were superseded."""
    found = contradictions.find(tx, memory_ids, least=0.7)
    return [one.memory_id for one in contradictions.apply(tx, found, now=LATE)]


def test_the_later_one_takes_the_place_of_the_earlier(tx: WriteTx) -> None:
    old, new = told(tx, PARIS, EARLY), told(tx, BERLIN, LATE)
    assert replaced(tx, old, new) == [old]


def test_a_fact_is_as_old_as_what_it_was_read_from(tx: WriteTx) -> None:
    session = told(tx, "We talked about people.", EARLY)
    now = told(tx, "The engineer Alice Kern lives in Berlin.", LATE.replace(day=2))
    late = told(tx, PARIS, LATE.replace(day=3), source_type="pipeline-v2", source_id=session)
    assert replaced(tx, late, now) == [late]


@pytest.mark.parametrize(
    "columns",
    [{"scope": "elsewhere"}, {"visibility": "private"}, {"is_deleted": 1}],
    ids=["scope", "private", "forgotten"],
)
def test_what_not_all_of_its_readers_may_read_replaces_nothing(
    tx: WriteTx, columns: Mapping[str, object]
) -> None:
    old, new = told(tx, PARIS, EARLY), told(tx, BERLIN, LATE, **columns)
    assert replaced(tx, old, new) == []
