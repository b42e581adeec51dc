"""What was read from a memory goes with it, comes back with it, and is read anew when its text changes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from signet.db import WriteTx
from signet.domain.memory import derived, forget, lookup, modify, remember, review
from signet.domain.memory.derived import ChangeKind
from signet.domain.memory.lookup import Refused
from signet.domain.memory.models import (
    Actor,
    Changed,
    Forget,
    Keeper,
    Memory,
    NewMemory,
    Patch,
    Recover,
    Rules,
)
from signet.wire.origin import Origin

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
NORA = Actor(name="nora", type="operator", origin=Origin.USER, may_claim=Origin.USER)
HELPER = Actor(name="helper", type="harness")
PIPELINE = Actor(name="pipeline-v2", type="pipeline")
RULES = Rules()


def save(tx: WriteTx, text: str, *, supersedes: Sequence[str] = ()) -> str:
    new = NewMemory(content=text, supersedes=tuple(supersedes))
    return remember.remember(tx, new, actor=NORA, rules=RULES, now=NOON).id


def fact(tx: WriteTx, source_id: str, text: str) -> str:
    """Return the fact that the pipeline has read in a memory, as a real run inserts it."""
    source = lookup.find(tx, source_id)
    assert source is not None
    inserted = remember.insert_fact(
        tx,
        content=text,
        type="fact",
        confidence=0.9,
        source=source,
        extraction_model="rules",
        embedding_model=None,
        metadata={},
        actor=PIPELINE,
        now=NOON,
    )
    if inserted.deduped:
        derived.found_in(tx, inserted.id, source_id, actor=PIPELINE, at=NOON)
    return inserted.id


def gone(tx: WriteTx, memory_id: str, *, is_wrong: bool = False, for_good: bool = False) -> Changed:
    asked = Forget(memory_id=memory_id, reason="asked", is_wrong=is_wrong, for_good=for_good)
    return forget.forget_one(tx, asked, actor=NORA, rules=RULES, now=NOON)


def back(tx: WriteTx, memory_id: str, *, actor: Actor = NORA) -> Changed:
    asked = Recover(memory_id=memory_id, reason="asked")
    return review.recover(tx, asked, actor=actor, rules=RULES, now=NOON)


def edit(
    tx: WriteTx,
    memory_id: str,
    text: str | None = None,
    *,
    pinned: bool | None = None,
    actor: Actor = NORA,
) -> None:
    patch = Patch(memory_id=memory_id, reason="asked", content=text, pinned=pinned)
    modify.modify(tx, patch, actor=actor, rules=RULES, now=NOON)


def active(tx: WriteTx, *memory_ids: str) -> list[bool]:
    found = [lookup.find(tx, memory_id) for memory_id in memory_ids]
    return [one is not None and not one.is_deleted for one in found]


def whole(tx: WriteTx, memory_id: str) -> Memory:
    found = lookup.find(tx, memory_id)
    assert found is not None
    return found


def events(tx: WriteTx, memory_id: str) -> list[str]:
    rows = tx.all(
        "SELECT event FROM memory_history WHERE memory_id = ? ORDER BY rowid", (memory_id,)
    )
    return [row[0] for row in rows]


def open_jobs(tx: WriteTx, kind: str) -> int:
    found: int = tx.value(
        "SELECT count(*) FROM memory_jobs WHERE job_type = ? AND status = 'pending'", (kind,)
    )
    return found


def test_what_was_read_from_a_memory_goes_with_it_and_comes_back(tx: WriteTx) -> None:
    source = save(tx, "We met Ada. She breeds kestrels near Bergen, and rows at dawn.")
    one, two = fact(tx, source, "Ada breeds kestrels"), fact(tx, source, "Ada rows at dawn")
    done = gone(tx, source)
    assert active(tx, source, one, two) == [False, False, False]
    assert done.along.goes == ((one, "Ada breeds kestrels"), (two, "Ada rows at dawn"))
    assert events(tx, one)[-1] == "deleted"
    done = back(tx, source)
    assert active(tx, source, one, two) == [True, True, True]
    assert [memory_id for memory_id, _ in done.along.goes] == [one, two]
    assert events(tx, one)[-1] == "recovered"


def test_a_fact_that_was_forgotten_by_itself_stays_forgotten(tx: WriteTx) -> None:
    source = save(tx, "Ada breeds kestrels near Bergen, and rows at dawn.")
    before, after = fact(tx, source, "Ada breeds kestrels"), fact(tx, source, "Ada rows at dawn")
    gone(tx, before)
    gone(tx, source)
    with pytest.raises(Refused, match="forgotten already"):
        gone(tx, before)
    assert gone(tx, after).status == "deleted"  # it had only gone along
    back(tx, source)
    assert active(tx, source, before, after) == [True, False, False]


def test_a_fact_with_two_sources_goes_with_the_last_of_them(tx: WriteTx) -> None:
    first = save(tx, "Ada told us that she breeds kestrels.")
    second = save(tx, "The kestrels that Ada breeds are loud.")
    said = fact(tx, first, "Ada breeds kestrels")
    assert fact(tx, second, "Ada breeds kestrels") == said
    done = gone(tx, first)
    assert (active(tx, said), done.along.goes) == ([True], ())
    assert [(one.id, one.why) for one in done.along.stays] == [(said, Keeper.OTHER_SOURCE)]
    gone(tx, second)
    assert active(tx, said) == [False]
    back(tx, first)  # which says it too
    assert active(tx, first, second, said) == [True, False, True]


def test_what_a_person_laid_hands_on_stays_and_is_named(tx: WriteTx) -> None:
    source = save(tx, "Ada breeds kestrels near Bergen, rows at dawn and paints owls.")
    edited, pinned = fact(tx, source, "Ada breeds kestrels"), fact(tx, source, "Ada rows at dawn")
    said = fact(tx, source, "Ada paints owls")
    edit(tx, edited, "Ada breeds kestrels and hobbies")
    edit(tx, pinned, pinned=True)
    assert save(tx, "Ada paints owls") == said
    done = gone(tx, source)
    assert active(tx, edited, pinned, said) == [True, True, True]
    why = {one.id: one.why for one in done.along.stays}
    assert why == {edited: Keeper.PERSON, pinned: Keeper.PINNED, said: Keeper.PERSON}


def test_what_an_agent_changed_goes_with_its_source(tx: WriteTx) -> None:
    source = save(tx, "We met Ada, who breeds kestrels near Bergen, and rows at dawn.")
    edited, typed = fact(tx, source, "Ada breeds kestrels"), fact(tx, source, "Ada rows at dawn")
    edit(tx, edited, "Ada breeds kestrels and hobbies", actor=HELPER)
    edit(tx, typed, "Ada rows at dusk", actor=HELPER)
    done = gone(tx, source)
    assert active(tx, edited, typed) == [False, False]
    assert done.along.stays == ()
    back(tx, source)
    assert active(tx, edited, typed) == [True, True]


def test_a_persons_memory_that_a_fact_repeats_never_follows(tx: WriteTx) -> None:
    own = save(tx, "Ada breeds kestrels")
    source = save(tx, "We met Ada, who breeds kestrels near Bergen.")
    assert fact(tx, source, "Ada breeds kestrels") == own
    done = gone(tx, source)
    assert (active(tx, own), done.along.goes, done.along.stays) == ([True], (), ())


def test_a_fact_taken_back_by_itself_stands_by_itself(tx: WriteTx) -> None:
    source = save(tx, "We met Ada, who breeds kestrels near Bergen.")
    said = fact(tx, source, "Ada breeds kestrels")
    gone(tx, source)
    back(tx, said)
    back(tx, source)
    gone(tx, source)
    assert active(tx, source, said) == [False, True]


def test_two_facts_do_not_keep_each_other(tx: WriteTx) -> None:
    source = save(tx, "We met Ada, who breeds kestrels near Bergen.")
    said = fact(tx, source, "Ada breeds kestrels")
    other = fact(tx, said, "Ada owns birds of prey")
    derived.found_in(tx, said, other, actor=PIPELINE, at=NOON)
    gone(tx, source)
    assert active(tx, said, other) == [False, False]


def test_a_new_text_retires_what_was_read_from_the_old_one_and_is_read(tx: WriteTx) -> None:
    source = save(tx, "Ada breeds kestrels near Bergen, and rows at dawn.")
    stale, same = fact(tx, source, "Ada breeds kestrels"), fact(tx, source, "Ada rows at dawn")
    tx.run("UPDATE memory_jobs SET status = 'completed', completed_at = created_at")
    edit(tx, source, "Ada breeds hobbies near Bergen, and rows at dawn.")
    assert active(tx, stale, same) == [False, False]
    assert open_jobs(tx, "extract") == 1
    assert whole(tx, source).extraction_status == "pending"
    change = derived.Change(kind=ChangeKind.RECOVERED, actor=PIPELINE, reason="read", at=NOON)
    assert derived.revive_retired(tx, whole(tx, source), "Ada rows at dawn", change) == same
    gone(tx, source)
    back(tx, source)
    assert active(tx, source, stale, same) == [True, False, True]


def test_an_edit_is_undone_where_the_old_sentence_was_read_in_it(tx: WriteTx) -> None:
    source = save(tx, "Ada breeds kestrels")
    edit(tx, source, "Ada breeds kestrels near Bergen, and rows at dawn.")
    same = fact(tx, source, "Ada breeds kestrels")
    edit(tx, source, "Ada breeds kestrels")
    assert (whole(tx, source).content, active(tx, same)) == ("Ada breeds kestrels", [False])
    other = save(tx, "Ada paints owls")
    with pytest.raises(Refused, match="same text"):
        edit(tx, source, "Ada paints owls")
    assert active(tx, source, other) == [True, True]


def test_what_was_read_from_a_superseded_memory_is_superseded_as_long(tx: WriteTx) -> None:
    old = save(tx, "Ada lives in Bergen. Her dentist is Dr Moe.")
    said, other = fact(tx, old, "Ada lives in Bergen"), fact(tx, old, "Ada's dentist is Dr Moe")
    new = save(tx, "Ada lives in Tromso now.", supersedes=[old])
    replaced = "SELECT superseded_by FROM memories WHERE id = ?"
    assert tx.value(replaced, (said,)) == new
    assert tx.value(replaced, (other,)) is None  # the new text says nothing about it
    assert fact(tx, new, "Ada lives in Bergen") == said  # which the new one says too
    assert tx.value(replaced, (said,)) is None


@pytest.mark.parametrize(
    ("later", "stays"),
    [
        ("I live in Tromso now.", "The user works at Larder."),
        ("I moved to Tromso.", "The user works at Larder."),
        ("I work at Helios now.", "The user lives in Bergen."),
    ],
)
def test_half_of_a_superseded_memory_stays(tx: WriteTx, later: str, stays: str) -> None:
    halves = ["The user lives in Bergen.", "The user works at Larder."]
    old = save(tx, "I live in Bergen and work at Larder.")
    facts = [fact(tx, old, half) for half in halves]
    new = save(tx, later, supersedes=[old])
    replaced = "SELECT superseded_by FROM memories WHERE id = ?"
    ends = [None if half == stays else new for half in halves]
    assert [tx.value(replaced, (one,)) for one in facts] == ends


def test_facts_of_merged_memories_stay_with_the_one_that_is_kept(tx: WriteTx) -> None:
    keeper, loser = (
        save(tx, "Ada breeds kestrels at home."),
        save(tx, "At home Ada breeds kestrels."),
    )
    said = fact(tx, loser, "Ada breeds kestrels")
    forget.merge(tx, keeper, [loser], tags=[], actor=PIPELINE, now=NOON)
    assert active(tx, keeper, loser, said) == [True, False, True]
    gone(tx, keeper)
    assert active(tx, said) == [False]


def test_rejected_and_forgotten_are_different_words(tx: WriteTx) -> None:
    source = save(tx, "We met Ada, who breeds kestrels near Bergen.")
    said = fact(tx, source, "Ada breeds kestrels")
    gone(tx, source, is_wrong=True)
    assert (events(tx, source)[-1], events(tx, said)[-1]) == ("rejected", "rejected")


def test_what_is_erased_takes_its_facts_with_it(tx: WriteTx) -> None:
    source = save(tx, "We met Ada, who breeds kestrels near Bergen.")
    said = fact(tx, source, "Ada breeds kestrels")
    gone(tx, source, for_good=True)
    assert (lookup.find(tx, source), lookup.find(tx, said)) == (None, None)
    assert tx.value("SELECT count(*) FROM memory_sources") == 0


def test_more_than_a_transaction_takes_follow_in_a_job(
    tx: WriteTx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "AT_ONCE", 2)
    source = save(tx, "A long talk about many birds.")
    facts = [fact(tx, source, f"Bird number {number} is loud") for number in range(5)]
    done = gone(tx, source)
    assert (len(done.along.goes), sum(active(tx, *facts)), open_jobs(tx, "follow_memory")) == (
        5,
        3,
        1,
    )
    change = derived.Change(kind=ChangeKind.FORGOTTEN, actor=NORA, reason="asked", at=NOON)
    assert derived.follow(tx, source, change) == 2
    assert derived.follow(tx, source, change) == 1
    assert derived.follow(tx, source, change) == 0
    assert active(tx, *facts) == [False] * 5
    back(tx, source)
    for _ in range(2):
        derived.follow(tx, source, change)
    assert active(tx, *facts) == [True] * 5


def test_a_purge_leaves_nothing_behind(tx: WriteTx) -> None:
    source = save(tx, "We met Ada, who breeds kestrels near Bergen.")
    said = fact(tx, source, "Ada breeds kestrels")
    gone(tx, source)
    assert forget.purge(tx, [source, said], now=NOON + timedelta(days=31)) == 2
    for table in ("memory_sources", "memory_withdrawals"):
        assert tx.value(f"SELECT count(*) FROM {table}") == 0
