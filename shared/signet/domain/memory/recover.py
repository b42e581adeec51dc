"""Taking back a forgotten memory, as long as it is kept."""

from datetime import datetime, timedelta

from signet import clock
from signet.db import WriteTx
from signet.domain.embeddings import vectors
from signet.domain.memory import cold, derived, followers, history, lookup, normalize
from signet.domain.memory.models import (
    Actor,
    Along,
    Changed,
    Event,
    ExtractionStatus,
    Memory,
    Outcome,
    Recover,
    Rules,
)
from signet.domain.memory.refusals import (
    DuplicateContent,
    NotDeleted,
    RetentionExpired,
    check_version,
)
from signet.domain.memory.sql import memories, sources
from signet.errors import Frozen, Invalid
from signet.queue import Job, enqueue


def recover(tx: WriteTx, asked: Recover, *, actor: Actor, rules: Rules, now: datetime) -> Changed:
    """Make a forgotten memory active again, with its `recovered` event, and what went with it.

    Raises Invalid without a reason, Frozen, and in this order Unknown, NotDeleted, VersionConflict,
    RetentionExpired, and DuplicateContent when its text was saved anew meanwhile (MEM-39).
    """
    if not asked.reason.strip():
        raise Invalid("reason is required")
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, asked.memory_id, agent_id=asked.agent_id)
    if not memory.is_deleted:
        raise NotDeleted(memory.id, memory.version)
    check_version(memory, asked.if_version)
    if not is_kept(memory.deleted_at, now, rules.recover_within):
        raise RetentionExpired(memory.id, memory.version)
    twin = memories.twin(tx, memory, normalize.content_hash(memory.content))
    if twin is not None:
        raise DuplicateContent(memory.id, memory.version, duplicateMemoryId=twin)
    memories.unhide(tx, memory.id, by=actor.name, at=now)
    cold.drop_deleted(tx, memory.id)
    followers.publish(tx, followers.Kind.RECOVERED, [memory.id], at=now)
    _resume(tx, memory, rules, now)
    history.record(
        tx,
        memory.id,
        Event.RECOVERED,
        actor=actor,
        at=now,
        new=memory.content,
        reason=asked.reason,
        metadata={
            "ifVersion": asked.if_version,
            "retentionWindowMs": rules.recover_within // timedelta(milliseconds=1),
        },
    )
    if sources.is_withdrawn(tx, memory.id):
        sources.release(tx, [memory.id])
        derived.own(tx, memory.id, actor)
    kind = followers.Kind.RECOVERED
    change = derived.Change(kind=kind, actor=actor, reason=asked.reason, at=now)
    back = derived.bring_back(tx, memory.id, change)
    for one in back:
        _resume(tx, one, rules, now)
    return Changed(
        id=memory.id,
        status=Outcome.RECOVERED,
        current_version=memory.version,
        new_version=memory.version + 1,
        along=Along(goes=tuple((one.id, one.content) for one in back)),
    )


def is_kept(deleted_at: str | None, now: datetime, window: timedelta) -> bool:
    """Say whether what was forgotten then can be recovered now; its last instant counts. Pure."""
    try:
        return now - clock.parse(deleted_at or "") <= window
    except ValueError:
        return False


def until(deleted_at: str | None, window: timedelta) -> str | None:
    """Return the last instant at which what was forgotten then can be recovered; None for a time that is none. Pure."""
    try:
        return clock.to_text(clock.parse(deleted_at or "") + window)
    except (ValueError, OverflowError):
        return None


def _resume(tx: WriteTx, memory: Memory, rules: Rules, now: datetime) -> None:
    """Queue the jobs that passed the memory over while it was forgotten."""
    extract = rules.extract and memory.extraction_status == ExtractionStatus.PENDING
    embed = rules.embed and vectors.gap(tx, memory.id) is not None
    for kind, wanted in (("extract", extract), ("embed", embed)):
        if wanted:
            job = Job(kind=kind, memory_id=memory.id, agent_id=memory.agent_id)
            enqueue(tx, job, now=now, max_attempts=rules.attempts)
