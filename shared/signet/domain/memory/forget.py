"""Forgetting a memory: it is hidden at once, can be recovered for a while, and then purged (MEM-29).

Only `erase` removes it at once and for good; its history stays until that is old enough itself (MEM-38). What other
nouns do about it stands in `memory_followers.py`.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, Row, WriteTx
from signet.domain.graph import link
from signet.domain.memory import derived, history, lookup
from signet.domain.memory.derived import Kind
from signet.domain.memory.lookup import AlreadyDeleted, ForceDenied, PinnedNeedsForce, check_version
from signet.domain.memory.models import (
    PIPELINE,
    Actor,
    Along,
    Changed,
    Event,
    Forget,
    Memory,
    Outcome,
    Rules,
)
from signet.domain.memory.sql import history as sql
from signet.domain.memory.sql import memories, sources
from signet.domain.transcripts import withheld
from signet.domain.transcripts.withheld import Statement
from signet.errors import Frozen, Invalid
from signet.queue import Job, enqueue
from signet.queue.job_context import JobContext

SUPERSEDED = "superseded"
PIPELINE_DELETE = "pipeline_delete"


def stored_row(tx: WriteTx, memory_id: str) -> Row | None:
    return tx.one(sql.WHOLE, (memory_id,))


def drop_deleted_copies(tx: WriteTx, memory_id: str) -> None:
    """Delete the copies of a recovered memory, so that nothing is left if it is forgotten later."""
    tx.run(sql.DELETE_COPIES, (memory_id, PIPELINE_DELETE))


def drop_copies(tx: WriteTx, memory_id: str) -> None:
    tx.run(sql.DELETE_ALL_COPIES, (memory_id,))


def keep_copy(tx: WriteTx, old: Row, *, reason: str, at: datetime) -> None:
    whole = json.dumps(dict(old), ensure_ascii=False)
    same = (old[name.strip()] for name in sql.SAME.split(","))
    times = (old["created_at"], clock.to_text(at))
    tx.run(sql.COPY, (ids.new_ordered_id(), old["id"], *same, *times, reason, whole))


#: The kind of job that leaves no bytes of what was erased, how long erasures are gathered for it, in milliseconds,
#: and how often it is tried: somebody may read an older state for a while.
REWRITE = "rewrite_store"
SWEEPER = Actor(name="erasure", type=PIPELINE)
REREADER, NO_MESSAGE = Actor(name="reread", type=PIPELINE), "read from a record that is no message"
REWRITE_WINDOW_MS = 1_000
REWRITE_ATTEMPTS = 10


def forget_one(tx: WriteTx, asked: Forget, *, actor: Actor, rules: Rules, now: datetime) -> Changed:
    """Hide a memory for a person, or with `for_good` erase it.

    Raises Invalid without a reason, Frozen, and in this order Unknown, AlreadyDeleted, VersionConflict,
    PinnedNeedsForce and ForceDenied.
    """
    if not asked.reason.strip():
        raise Invalid("reason is required")
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, asked.memory_id, agent_id=asked.agent_id)
    is_gone = memory.is_deleted and not asked.for_good
    if is_gone and not sources.is_withdrawn(tx, memory.id):
        raise AlreadyDeleted(memory.id, memory.version)
    check_version(memory, asked.if_version)
    if memory.pinned and not asked.force:
        raise PinnedNeedsForce(memory.id, memory.version)
    if memory.pinned and actor.type == PIPELINE:
        raise ForceDenied(memory.id, memory.version)
    is_asked = actor.type != PIPELINE
    along = derived.along(tx, [memory.id], is_asked=is_asked)
    kind = Kind.REJECTED if asked.is_wrong else Kind.FORGOTTEN
    change = derived.Change(
        kind=Kind.ERASED if asked.for_good else kind,
        actor=actor,
        reason=asked.reason,
        at=now,
        is_asked=is_asked,
    )
    metadata = {"force": asked.force, "ifVersion": asked.if_version}
    if asked.for_good:
        erase_all(tx, memory, along, change)
    elif memory.is_deleted:
        _by_itself(tx, memory, change, metadata)
    else:
        _hide(tx, memory.id, change, along, metadata)
    return Changed(
        id=memory.id,
        status=Outcome.DELETED,
        current_version=memory.version,
        new_version=None if asked.for_good else memory.version + 1,
        along=along,
    )


def forget(
    tx: WriteTx,
    memory_id: str,
    *,
    actor: Actor,
    reason: str,
    now: datetime,
    metadata: Mapping[str, object] | None = None,
) -> bool:
    """Hide an active memory with the facts read from it alone; False if it is not active."""
    change = derived.Change(kind=Kind.FORGOTTEN, actor=actor, reason=reason, at=now)
    given = metadata or {"force": False, "ifVersion": None}
    return _hide(tx, memory_id, change, derived.along(tx, [memory_id]), given)


def _hide(
    tx: WriteTx,
    memory_id: str,
    change: derived.Change,
    along: Along,
    metadata: Mapping[str, object],
) -> bool:
    content = memories.hide(tx, memory_id, at=change.at)
    if content is None:
        return False
    derived.publish(tx, change.kind, [memory_id], at=change.at, is_asked=change.is_asked)
    history.record(
        tx,
        memory_id,
        Event.REJECTED if change.kind is Kind.REJECTED else Event.DELETED,
        actor=change.actor,
        at=change.at,
        old=content,
        reason=change.reason,
        metadata=metadata,
    )
    derived.withdraw(tx, memory_id, along, change)
    return True


def forget_session(
    tx: WriteTx, agent_id: str, key: str, *, actor: Actor, reason: str, now: datetime
) -> Along:
    """Hide the memories read from a session alone and return them; each can be recovered separately."""
    found = derived.along_session(tx, agent_id, key)
    change = derived.Change(
        kind=Kind.FORGOTTEN, actor=actor, reason=reason, at=now, is_asked=actor.type != PIPELINE
    )
    for memory_id, _ in found.goes:
        _hide(tx, memory_id, change, Along(), {"session": key})
    return found


def retract(tx: WriteTx, agent_id: str, key: str, dropped: str, kept: str, *, now: datetime) -> int:
    """Hide memories derived only from dropped texts of a session; return their number.

    Unlike a forgotten text, the same text can be saved again.
    """
    change = derived.Change(kind=Kind.RETIRED, actor=REREADER, reason=NO_MESSAGE, at=now)
    count = 0
    for memory_id, content in derived.along_session(tx, agent_id, key).goes:
        said = [withheld.statement(content)]
        if withheld.without(dropped, said) != dropped and withheld.without(kept, said) == kept:
            count += _hide(tx, memory_id, change, Along(), {"session": key})
    return count


def _by_itself(
    tx: WriteTx, memory: Memory, change: derived.Change, metadata: Mapping[str, object]
) -> None:
    """Forget a memory that was hidden with its source, so that it is not restored with it."""
    sources.release(tx, [memory.id])
    derived.publish(tx, change.kind, [memory.id], at=change.at, is_asked=change.is_asked)
    history.record(
        tx,
        memory.id,
        Event.REJECTED if change.kind is Kind.REJECTED else Event.DELETED,
        actor=change.actor,
        at=change.at,
        old=memory.content,
        reason=change.reason,
        metadata=metadata,
    )


def erase_all(tx: WriteTx, memory: Memory, along: Along, change: derived.Change) -> None:
    goes = (memories.by_id(tx, memory_id) for memory_id, _ in along.goes)
    for one in (*filter(None, goes), memory):
        erase(
            tx,
            one,
            actor=change.actor,
            reason=change.reason,
            now=change.at,
            is_asked=change.is_asked,
        )


def erase(
    tx: WriteTx,
    memory: Memory,
    *,
    actor: Actor,
    reason: str,
    now: datetime,
    is_asked: bool = False,
) -> None:
    """Delete a memory with its index rows, vectors, hints, links, statements and jobs.

    Its history stays without texts. A job rewrites the file so that no bytes of it are left.
    """
    derived.publish(tx, Kind.ERASED, [memory.id], at=now, is_asked=is_asked)
    sources.delete_memories(tx, [memory.id])
    drop_copies(tx, memory.id)
    history.blank(tx, memory.id)
    history.record(
        tx,
        memory.id,
        Event.DELETED,
        actor=actor,
        at=now,
        reason=reason,
        metadata={"force": True, "ifVersion": None, "erased": True},
    )
    rewrite_later(tx, now=now)


def erase_said_elsewhere(
    job: JobContext, known: Mapping[str, Sequence[Statement]], *, now: datetime
) -> int:
    """Erase facts of sessions and deleted documents that state an erased text; return their number."""
    gone = 0
    for found in withheld.saying(job, sources.SAID_ELSEWHERE, known):
        gone += job.db.write(_erase_all_of, [(one.rowid, one.before) for one in found], now)
    return gone


def _erase_all_of(tx: WriteTx, found: Sequence[tuple[int, str]], now: datetime) -> int:
    ids = [row[0] for one in found for row in tx.tuples(sources.ID_OF, one)]
    for memory in filter(None, (memories.by_id(tx, memory_id) for memory_id in ids)):
        erase(tx, memory, actor=SWEEPER, reason="says what was erased", now=now)
    return len(ids)


def rewrite_later(tx: WriteTx, *, now: datetime, if_said: bool = False) -> None:
    """Queue one job for all erasures of a second; it starts after their transactions.

    With `if_said` it rewrites the file only if some text still states what was erased.
    """
    ms = int(now.timestamp() * 1000)
    window = ms // REWRITE_WINDOW_MS
    delay = (window + 1) * REWRITE_WINDOW_MS - ms + REWRITE_WINDOW_MS
    key = f"{window}:if_said" if if_said else str(window)
    job = Job(kind=REWRITE, dedupe_key=key, payload={"if_said": if_said}, delay_ms=delay)
    enqueue(tx, job, now=now, max_attempts=REWRITE_ATTEMPTS)


def expired(tx: ReadTx, before: str, limit: int) -> list[str]:
    return sources.expired(tx, before, limit)


def purge(tx: WriteTx, memory_ids: Sequence[str], *, now: datetime) -> int:
    """Delete forgotten memories with all dependent rows; return how many were deleted."""
    if not memory_ids:
        return 0
    derived.publish(tx, Kind.PURGED, memory_ids, at=now)
    return sources.delete_memories(tx, memory_ids)


def merge(
    tx: WriteTx,
    keeper_id: str,
    loser_ids: Sequence[str],
    *,
    tags: Sequence[str],
    actor: Actor,
    now: datetime,
) -> None:
    """Merge memories into one, which gets these tags; the others are forgotten."""
    stored = json.dumps(list(tags), ensure_ascii=False) if tags else None
    tx.run(memories.SET_TAGS, (stored, clock.to_text(now), actor.name, keeper_id))
    sources.repoint(tx, loser_ids, keeper_id)
    sources.move(tx, loser_ids, keeper_id)
    link.hand_over(tx, loser_ids, keeper_id, now=now)
    merged = {"mergedFrom": list(loser_ids), "mergedTags": list(tags)}
    history.record(tx, keeper_id, Event.MERGED, actor=actor, at=now, metadata=merged)
    for loser in loser_ids:
        reason = f"dedup: duplicate of {keeper_id}"
        forget(tx, loser, actor=actor, reason=reason, now=now)
