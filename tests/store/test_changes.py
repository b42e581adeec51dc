"""What a change leaves behind for the pipeline, the graph and the history."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from signet import clock
from signet.db import WriteTx
from signet.domain.embeddings import vectors as embeddings
from signet.domain.memory import modify, remember, review
from signet.domain.memory.forget import forget_one
from signet.domain.memory.lookup import Refused
from signet.domain.memory.models import (
    Actor,
    Changed,
    Forget,
    NewMemory,
    Outcome,
    Patch,
    Recover,
    Rules,
)
from signet.errors import Invalid

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ACTOR = Actor(name="nora", type="agent")
RULES = Rules()


def save(tx: WriteTx, content: str) -> str:
    new = NewMemory(content=content)
    return remember.remember(tx, new, actor=ACTOR, rules=RULES, now=NOON).id


def rewrite(tx: WriteTx, memory_id: str, content: str, *, rules: Rules = RULES) -> Changed:
    patch = Patch(memory_id=memory_id, reason="x", content=content)
    return modify.modify(tx, patch, actor=ACTOR, rules=rules, now=NOON)


def jobs(tx: WriteTx) -> list[tuple[str, str]]:
    return [tuple(row) for row in tx.all("SELECT job_type, status FROM memory_jobs ORDER BY id")]


def pairs(tx: WriteTx, sql: str, *params: object) -> dict[str, str]:
    return {row[0]: row[1] for row in tx.all(sql, params)}


def done(tx: WriteTx) -> None:
    tx.run("UPDATE memory_jobs SET status = 'completed', completed_at = created_at")


def test_a_new_text_queues_its_vector_in_the_same_transaction(tx: WriteTx) -> None:
    memory_id = save(tx, "The heron nests in April.")
    done(tx)
    rewrite(tx, memory_id, "The heron nests in May.")
    assert ("embed", "pending") in jobs(tx)
    assert embeddings.gap(tx, memory_id) is not None


def test_without_a_model_nothing_is_queued(tx: WriteTx) -> None:
    memory_id = save(tx, "The heron nests in April.")
    done(tx)
    rewrite(tx, memory_id, "The heron nests in May.", rules=Rules(embed=False, extract=False))
    assert [kind for kind, status in jobs(tx) if status == "pending"] == ["clean_texts"]


def test_a_change_of_case_is_a_new_text_of_the_same_memory(tx: WriteTx) -> None:
    memory_id = save(tx, "The heron nests in april.")
    changed = rewrite(tx, memory_id, "The Heron nests in April!")
    assert (changed.status, changed.content_changed) == (Outcome.UPDATED, True)
    assert tx.value("SELECT content FROM memories") == "The Heron nests in April!"


def test_an_entity_that_is_named_again_is_the_same_one(tx: WriteTx) -> None:
    memory_id = save(tx, "We met Ada Winter, who repairs clocks in Oslo.")
    before = pairs(tx, "SELECT name, id FROM entities")
    rewrite(tx, memory_id, "We met Ada Winter, who builds boats in Rome.")
    after = pairs(tx, "SELECT name, id FROM entities")
    assert set(after) == {"Ada Winter", "Rome"}
    assert after["Ada Winter"] == before["Ada Winter"]
    said = pairs(
        tx,
        "SELECT attribute_value, status FROM entity_attributes WHERE entity_id = ?",
        after["Ada Winter"],
    )
    assert said == {"repairs clocks in Oslo": "superseded", "builds boats in Rome": "active"}
    assert tx.value("SELECT mentions FROM entities WHERE name = 'Ada Winter'") == 1


def test_the_day_follows_the_text_unless_it_was_given(tx: WriteTx) -> None:
    told = save(tx, "The heron came on 3 April 2026.")
    new = NewMemory(content="The owl came on 3 April 2026.", event_at=NOON)
    given = remember.remember(tx, new, actor=ACTOR, rules=RULES, now=NOON).id
    rewrite(tx, told, "The heron came on 5 April 2026.")
    rewrite(tx, given, "The owl came on 5 April 2026.")
    days = pairs(tx, "SELECT id, event_at FROM memories")
    assert (days[told][:10], days[given]) == ("2026-04-05", clock.to_text(NOON))


@pytest.mark.sqlite_file
def test_full_text_is_written_anew_only_for_a_new_text(tx: WriteTx) -> None:
    memory_id = save(tx, "The heron nests in April.")
    tx.run("SAVEPOINT saved")  # FTS5 writes out what it has of the new text
    size = "SELECT count(*) FROM memories_fts_data"
    before = tx.value(size), tx.connection.total_changes
    patch = Patch(memory_id=memory_id, reason="x", importance=0.1, tags=("bird",))
    modify.modify(tx, patch, actor=ACTOR, rules=RULES, now=NOON)
    # The row, the note that it has changed and its line of history, nothing else.
    assert (tx.value(size), tx.connection.total_changes) == (before[0], before[1] + 3)


def test_a_blank_text_is_refused(tx: WriteTx) -> None:
    memory_id = save(tx, "The heron nests in April.")
    with pytest.raises(Invalid, match="content is required"):
        rewrite(tx, memory_id, " \n")


def test_the_last_instant_of_the_window_still_recovers(tx: WriteTx) -> None:
    memory_id = save(tx, "The heron nests in April.")
    forget_one(tx, Forget(memory_id=memory_id, reason="x"), actor=ACTOR, rules=RULES, now=NOON)
    asked = Recover(memory_id=memory_id, reason="oops")
    late = NOON + timedelta(days=30, milliseconds=1)
    with pytest.raises(Refused, match="too long ago"):
        review.recover(tx, asked, actor=ACTOR, rules=RULES, now=late)
    last = NOON + timedelta(days=30)
    assert review.recover(tx, asked, actor=ACTOR, rules=RULES, now=last).new_version == 3


@pytest.mark.parametrize("deleted_at", [None, "", "yesterday", "2026-02-30"])
def test_a_time_that_is_none_is_too_long_ago(deleted_at: str | None) -> None:
    assert not review.is_kept(deleted_at, NOON, timedelta(days=30))
    assert review.is_kept(clock.to_text(NOON), NOON, timedelta(0))


def test_recovery_queues_what_passed_the_memory_over_and_nothing_that_is_done(tx: WriteTx) -> None:
    memory_id = save(tx, "The heron nests in April.")
    forget_one(tx, Forget(memory_id=memory_id, reason="x"), actor=ACTOR, rules=RULES, now=NOON)
    done(tx)
    review.recover(
        tx, Recover(memory_id=memory_id, reason="oops"), actor=ACTOR, rules=RULES, now=NOON
    )
    queued = [job for job in jobs(tx)[2:] if job[0] != "clean_texts"]
    assert queued == [("extract", "pending"), ("embed", "pending")]


def test_what_an_erased_memory_said_of_an_entity_goes_with_it(tx: WriteTx) -> None:
    save(tx, "We met Ada Winter, who repairs clocks.")
    memory_id = save(tx, "We met Ada Winter, who hides keys under the mat.")
    asked = Forget(memory_id=memory_id, reason="x", force=True, for_good=True)
    forget_one(tx, asked, actor=ACTOR, rules=RULES, now=NOON)
    said = [row[0] for row in tx.all("SELECT attribute_value FROM entity_attributes")]
    assert said == ["repairs clocks"]


def test_an_erased_memory_leaves_its_history_and_nothing_else(tx: WriteTx) -> None:
    memory_id = save(tx, "We met Ada Winter in Oslo.")
    asked = Forget(memory_id=memory_id, reason="x", force=True, for_good=True)
    changed = forget_one(tx, asked, actor=ACTOR, rules=RULES, now=NOON)
    assert (changed.current_version, changed.new_version) == (1, None)
    for table in (
        "memories",
        "memory_entity_mentions",
        "entities",
        "entity_aspects",
    ):
        assert tx.value(f"SELECT count(*) FROM {table}") == 0, table
    assert {kind for kind, _ in jobs(tx)} == {"clean_texts", "rewrite_store"}
    event = tx.all("SELECT * FROM memory_history ORDER BY rowid")[-1]
    assert (event["event"], event["old_content"]) == ("deleted", None)
    assert json.loads(event["metadata"]) == {"force": True, "ifVersion": None, "erased": True}
