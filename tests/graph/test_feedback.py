"""What sessions and time do to the graph in the store."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from signet import clock
from signet.config.pipeline import FeedbackSettings
from signet.db import WriteTx
from signet.domain.graph import feedback, link
from signet.domain.graph.feedback import Weighed
from signet.domain.graph.sql import attributes
from signet.domain.injections import ratings

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SETTINGS = FeedbackSettings()


def a_memory(tx: WriteTx, memory_id: str, name: str, *, kind: str = "attribute") -> str:
    """Write a memory that says something of an entity of its own; return the aspect that holds it."""
    link.apply(tx, memory_id, f"We met {name}, who lives in a house by the sea.", "default", NOON)
    tx.run(
        "INSERT INTO memories (id, content, created_at, updated_at) VALUES (?, ?, '', '')",
        (memory_id, name),
    )
    tx.run("UPDATE entity_attributes SET kind = ? WHERE source_memory_id = ?", (kind, memory_id))
    found: str = tx.value(
        "SELECT aspect_id FROM entity_attributes WHERE source_memory_id = ?", (memory_id,)
    )
    return found


def brought(
    tx: WriteTx,
    session: str,
    memory_id: str,
    *,
    hits: int = 0,
    rating: float | None = None,
    injected: bool = True,
) -> None:
    tx.run(
        "INSERT INTO session_memories (id, session_key, memory_id, rank, was_injected, fts_hit_count,"
        " agent_relevance_score, created_at) VALUES (?, ?, ?, 1, ?, ?, ?, ?)",
        (f"{session}/{memory_id}", session, memory_id, injected, hits, rating, clock.to_text(NOON)),
    )


def ended(
    tx: WriteTx, session: str, settings: FeedbackSettings = SETTINGS, now: datetime = NOON
) -> Weighed:
    if not settings.enabled:
        return Weighed()
    uses = ratings.take(tx, "default", session, now=now)
    return feedback.apply_session(tx, uses, agent_id="default", settings=settings, now=now)


def weight(tx: WriteTx, aspect_id: str) -> float:
    return float(tx.value("SELECT weight FROM entity_aspects WHERE id = ?", (aspect_id,)))


def test_a_session_rewards_what_served_and_counts_once(tx: WriteTx) -> None:
    served = a_memory(tx, "m1", "Ada Winter")
    brought(tx, "s", "m1", hits=2)
    assert ended(tx, "s") == Weighed(memories=1, found=1, aspects=1)
    assert weight(tx, served) == pytest.approx(0.54)
    assert ended(tx, "s") == Weighed()
    assert weight(tx, served) == pytest.approx(0.54)
    last = feedback.last(tx, agent_id="default")
    assert last["lastRunAt"] == clock.to_text(NOON)
    assert (last["feedbackAspectsUpdated"], last["feedbackFtsConfirmations"]) == (1, 1)
    assert feedback.last(tx, agent_id="other")["lastRunAt"] is None


def test_hits_of_a_memory_that_was_never_brought_do_not_count(tx: WriteTx) -> None:
    aspect = a_memory(tx, "m1", "Ada Winter")
    brought(tx, "s", "m1", hits=5, injected=False)
    assert ended(tx, "s") == Weighed()
    assert weight(tx, aspect) == 0.5


def test_a_bad_rating_is_regretted(tx: WriteTx) -> None:
    aspect = a_memory(tx, "m1", "Ada Winter")
    brought(tx, "s", "m1", rating=-0.5)
    ended(tx, "s")
    assert weight(tx, aspect) == pytest.approx(0.48)


def test_a_third_session_without_use_is_regretted_and_a_use_starts_the_count_anew(
    tx: WriteTx,
) -> None:
    aspect = a_memory(tx, "m1", "Ada Winter")
    for session, hits in (("s1", 0), ("s2", 0), ("s3", 0), ("s4", 1), ("s5", 0), ("s6", 0)):
        brought(tx, session, "m1", hits=hits)
        ended(tx, session)
    assert weight(tx, aspect) == pytest.approx(0.5 - 0.02 + 0.02)


def test_a_suppressed_entity_gets_no_reward(tx: WriteTx) -> None:
    aspect = a_memory(tx, "m1", "Ada Winter")
    tx.run(
        "INSERT INTO entity_pinning (id, entity_id, pin_type, created_at)"
        " SELECT 'p', entity_id, 'suppress', '' FROM entity_aspects WHERE id = ?",
        (aspect,),
    )
    brought(tx, "s", "m1", hits=3)
    ended(tx, "s")
    assert weight(tx, aspect) == 0.5


def test_nothing_is_weighed_when_feedback_is_off(tx: WriteTx) -> None:
    aspect = a_memory(tx, "m1", "Ada Winter")
    brought(tx, "s", "m1", hits=3)
    assert ended(tx, "s", replace(SETTINGS, enabled=False)) == Weighed()
    assert weight(tx, aspect) == 0.5


def test_weights_fade_every_so_many_sessions_and_at_most_once_in_the_stale_days(
    tx: WriteTx,
) -> None:
    settings = replace(SETTINGS, decay_interval_sessions=2)
    aspect = a_memory(tx, "m1", "Ada Winter")
    a_memory(tx, "m2", "Ben Summer")
    faded = []
    for number, days in enumerate((14, 15, 16, 17, 40, 41)):
        brought(tx, f"s{number}", "m2", hits=1)
        ended(tx, f"s{number}", settings, now=NOON + days * DAY)
        faded.append(weight(tx, aspect))
    assert faded == pytest.approx([0.5, 0.495, 0.495, 0.495, 0.495, 0.49])


def fade(tx: WriteTx, now: datetime) -> int:
    found = feedback.stale(tx, SETTINGS, now=now)
    feedback.fade(tx, found, SETTINGS, now=now)
    return len(found)


def test_only_what_nobody_touched_for_long_and_can_still_fall_fades(tx: WriteTx) -> None:
    plain = a_memory(tx, "m1", "Ada Winter")
    strict = a_memory(tx, "m2", "Ben Summer", kind="constraint")
    assert fade(tx, NOON + 14 * DAY) == 0
    assert fade(tx, NOON + 15 * DAY) == 1
    assert (weight(tx, plain), weight(tx, strict)) == pytest.approx((0.495, 0.5))
    assert fade(tx, NOON + 15 * DAY) == 0


def test_an_aspect_that_was_touched_after_the_look_is_left_alone(tx: WriteTx) -> None:
    aspect = a_memory(tx, "m1", "Ada Winter")
    found = feedback.stale(tx, SETTINGS, now=NOON + 20 * DAY)
    tx.run("UPDATE entity_aspects SET updated_at = 'now'")
    feedback.fade(tx, found, SETTINGS, now=NOON + 20 * DAY)
    assert weight(tx, aspect) == 0.5


def test_what_a_forgotten_memory_said_holds_no_longer_and_again_when_it_is_recovered(
    tx: WriteTx,
) -> None:
    for memory_id, name in (("m1", "Ada Winter"), ("m2", "Ben Summer"), ("m3", "Cleo Autumn")):
        a_memory(tx, memory_id, name)
    tx.run(
        "UPDATE memories SET is_deleted = 1, deleted_at = ? WHERE id = 'm1'", (clock.to_text(NOON),)
    )
    tx.run("DELETE FROM memories WHERE id = 'm2'")
    assert attributes.retire(tx, tx.column(attributes.UNFOUNDED), at=clock.to_text(NOON)) == 2
    assert tx.column(attributes.UNFOUNDED) == []
    active = "SELECT source_memory_id FROM entity_attributes WHERE status = 'active'"
    assert [row[0] for row in tx.all(active)] == ["m3"]
    tx.run("UPDATE memories SET is_deleted = 0 WHERE id = 'm1'")
    link.revive(tx, "m1", now=NOON)
    assert {row[0] for row in tx.all(active)} == {"m1", "m3"}


def test_a_memory_that_is_back_by_the_time_of_the_write_keeps_what_it_said(tx: WriteTx) -> None:
    a_memory(tx, "m1", "Ada Winter")
    tx.run("UPDATE memories SET is_deleted = 1, deleted_at = ''")
    found = tx.column(attributes.UNFOUNDED)
    tx.run("UPDATE memories SET is_deleted = 0, deleted_at = NULL")
    assert len(found) == 1
    assert attributes.retire(tx, found, at=clock.to_text(NOON)) == 0


def a_task(tx: WriteTx, name: str, status: str, **times: datetime) -> None:
    tx.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
        " VALUES (?, ?, ?, 'task', '', '')",
        (name, name, name),
    )
    stored = {field: clock.to_text(at) for field, at in times.items()}
    tx.run(
        "INSERT INTO task_meta (entity_id, status, expires_at, retention_until, updated_at) VALUES (?, ?, ?, ?, '')",
        (name, status, stored.get("expires_at"), stored.get("retention_until")),
    )


def test_open_tasks_whose_time_is_over_are_cancelled(tx: WriteTx) -> None:
    for status in ("open", "in_progress", "blocked", "done"):
        a_task(tx, f"old {status}", status, expires_at=NOON - DAY)
    a_task(tx, "young", "open", expires_at=NOON + DAY)
    a_task(tx, "endless", "open")
    assert feedback.cancel_expired(tx, now=NOON, limit=10) == 3
    assert feedback.cancel_expired(tx, now=NOON, limit=10) == 0
    ended_now = "SELECT count(*) FROM task_meta WHERE status = 'cancelled' AND completed_at = ?"
    assert tx.value(ended_now, (clock.to_text(NOON),)) == 3


def test_ended_tasks_are_deleted_after_their_retention_unless_somebody_pinned_them(
    tx: WriteTx,
) -> None:
    a_task(tx, "done", "done", retention_until=NOON - DAY)
    a_task(tx, "pinned", "cancelled", retention_until=NOON - DAY)
    a_task(tx, "open", "open", retention_until=NOON - DAY)
    a_task(tx, "kept", "done", retention_until=NOON + DAY)
    tx.run(
        "INSERT INTO entity_pinning (id, entity_id, pin_type, created_at) VALUES ('p', 'pinned', 'pin', '')"
    )
    for name in ("done", "kept"):
        tx.run("INSERT INTO memory_entity_mentions (memory_id, entity_id) VALUES ('m', ?)", (name,))
    assert feedback.delete_ended(tx, now=NOON, limit=10) == 1
    mentioned = tx.all("SELECT entity_id FROM memory_entity_mentions")
    assert [row[0] for row in mentioned] == ["kept"]
    left = tx.all("SELECT entity_id FROM task_meta ORDER BY 1")
    assert [row[0] for row in left] == ["kept", "open", "pinned"]


def an_entity(tx: WriteTx, name: str) -> None:
    tx.run(
        "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
        " VALUES (?, ?, ?, 'task', '', '')",
        (name, name, name.lower()),
    )
