"""Forgetting a memory: it is hidden at once, can be recovered for a while, and then purged (MEM-29).

`erase` deletes it at once; its history stays for its own retention time (MEM-38). Other nouns follow in
`memory_followers.py`.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, Row, WriteTx
from signet.db.dialect import as_list
from signet.domain.auth import caller
from signet.domain.graph import link
from signet.domain.memory import derived, history, lookup
from signet.domain.memory.derived import Change, ChangeKind
from signet.domain.memory.lookup import ForceDenied, Refused, check_version
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
from signet.queue import NewJob, enqueue
from signet.queue.job_context import JobContext

SUPERSEDED = "superseded"
PIPELINE_DELETE = "pipeline_delete"
#: The job kind that overwrites the bytes of erased texts, the time in which erasures share one job, and its attempts:
#: readers of an older snapshot block it.
REWRITE = "rewrite_store"
REWRITE_WINDOW_MS = 1_000
REWRITE_ATTEMPTS = 10
SWEEPER = Actor(name="erasure", type=PIPELINE)
REREADER, NO_MESSAGE = Actor(name="reread", type=PIPELINE), "read from a record that is no message"


def forget_one(tx: WriteTx, asked: Forget, *, actor: Actor, rules: Rules, now: datetime) -> Changed:
    """Hide a memory for a person, or with `for_good` erase it.

    Raises Invalid without a reason, Frozen, Unknown, Refused and ForceDenied.
    """
    if not asked.reason.strip():
        raise Invalid("reason is required")
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, asked.memory_id, agent_id=asked.agent_id)
    if ids.space_of(memory.visibility):  # others withdraw it, which returns it to its author
        caller.current().check_row(agent=memory.agent_id)
    is_gone = memory.is_deleted and not asked.for_good
    if is_gone and tx.value(sources.IS_WITHDRAWN, (memory.id,)) is None:
        raise Refused(memory.id, memory.version, "already_deleted")
    check_version(memory, asked.if_version)
    if memory.pinned and not asked.force:
        raise Refused(memory.id, memory.version, "pinned_requires_force")
    if memory.pinned and actor.type == PIPELINE:
        raise ForceDenied(memory.id, memory.version)
    is_asked = actor.type != PIPELINE and not asked.undo
    along = derived.along(tx, [memory.id], is_asked=is_asked)
    hidden = ChangeKind.REJECTED if asked.is_wrong else ChangeKind.FORGOTTEN
    kind = ChangeKind.ERASED if asked.for_good else hidden
    change = Change(kind=kind, actor=actor, reason=asked.reason, at=now, is_asked=is_asked)
    metadata = {"force": asked.force, "ifVersion": asked.if_version}
    if asked.for_good:
        goes = filter(None, (memories.by_id(tx, memory_id) for memory_id, _ in along.goes))
        for one in (*goes, memory):
            erase(tx, one, actor=actor, reason=asked.reason, now=now, is_asked=is_asked)
    elif memory.is_deleted:  # with its source: now it is not restored with it
        tx.run(sources.RELEASE, (memory.id,))
        change.publish(tx, [memory.id])
        change.record(tx, memory.id, memory.content, metadata)
    else:
        derived.hide(tx, memory.id, along, change, metadata)
    return Changed(
        id=memory.id,
        status=Outcome.DELETED,
        current_version=memory.version,
        new_version=None if asked.for_good else memory.version + 1,
        along=along,
    )


def forget(tx: WriteTx, memory_id: str, *, actor: Actor, reason: str, now: datetime) -> bool:
    """Hide an active memory with the facts derived only from it; False if it is not active."""
    change = Change(kind=ChangeKind.FORGOTTEN, actor=actor, reason=reason, at=now)
    metadata = {"force": False, "ifVersion": None}
    return derived.hide(tx, memory_id, derived.along(tx, [memory_id]), change, metadata)


def forget_session(
    tx: WriteTx, agent_id: str, key: str, *, actor: Actor, reason: str, now: datetime
) -> Along:
    """Hide the memories derived only from a session and return them; each can be recovered separately."""
    found, is_asked = derived.along_session(tx, agent_id, key), actor.type != PIPELINE
    change = Change(
        kind=ChangeKind.FORGOTTEN, actor=actor, reason=reason, at=now, is_asked=is_asked
    )
    for memory_id, _ in found.goes:
        derived.hide(tx, memory_id, Along(), change, {"session": key})
    return found


def retract(tx: WriteTx, agent_id: str, key: str, dropped: str, kept: str, *, now: datetime) -> int:
    """Hide memories derived only from dropped texts of a session; return their number.

    Unlike a forgotten text, the same text can be saved again.
    """
    change = Change(kind=ChangeKind.RETIRED, actor=REREADER, reason=NO_MESSAGE, at=now)
    count = 0
    for memory_id, content in derived.along_session(tx, agent_id, key).goes:
        said = [withheld.statement(content)]
        if withheld.without(dropped, said) != dropped and withheld.without(kept, said) == kept:
            count += derived.hide(tx, memory_id, Along(), change, {"session": key})
    return count


def erase(
    tx: WriteTx, memory: Memory, *, actor: Actor, reason: str, now: datetime, is_asked: bool = False
) -> None:
    """Delete a memory with its index rows, vectors, hints, links, statements and jobs.

    Its history stays without texts. A job rewrites the file so that no bytes of it are left.
    """
    change = Change(kind=ChangeKind.ERASED, actor=actor, reason=reason, at=now, is_asked=is_asked)
    change.publish(tx, [memory.id])
    sources.delete_memories(tx, [memory.id])
    tx.run(sql.DELETE_ALL_COPIES, (memory.id,))
    history.blank(tx, memory.id)
    change.record(tx, memory.id, None, {"force": True, "ifVersion": None, "erased": True})
    rewrite_later(tx, now=now)


def erase_said_elsewhere(
    job: JobContext, known: Mapping[str, Sequence[Statement]], *, now: datetime
) -> int:
    """Erase facts of sessions and deleted documents that state an erased text; return their number."""

    def erase_all(tx: WriteTx, found: Sequence[tuple[int, str]]) -> int:
        ids = [row[0] for one in found for row in tx.tuples(sources.ID_OF, one)]
        for memory in filter(None, (memories.by_id(tx, memory_id) for memory_id in ids)):
            erase(tx, memory, actor=SWEEPER, reason="says what was erased", now=now)
        return len(ids)

    return sum(
        job.db.write(erase_all, [(one.rowid, one.before) for one in found])
        for found in withheld.saying(job, sources.SAID_ELSEWHERE, known)
    )


def rewrite_later(tx: WriteTx, *, now: datetime, if_said: bool = False) -> None:
    """Queue one job for all erasures of a second; it starts after their transactions.

    With `if_said` it rewrites the file only if some text still states what was erased.
    """
    ms = int(now.timestamp() * 1000)
    window = ms // REWRITE_WINDOW_MS
    delay = (window + 1) * REWRITE_WINDOW_MS - ms + REWRITE_WINDOW_MS
    key = f"{window}:if_said" if if_said else str(window)
    job = NewJob(kind=REWRITE, dedupe_key=key, payload={"if_said": if_said}, delay_ms=delay)
    enqueue(tx, job, now=now, max_attempts=REWRITE_ATTEMPTS)


def expired(tx: ReadTx, before: str, limit: int) -> list[str]:
    return tx.column(sources.EXPIRED, (before, limit))


def purge(tx: WriteTx, memory_ids: Sequence[str], *, now: datetime) -> int:
    """Delete forgotten memories with all dependent rows; return how many were deleted."""
    if not memory_ids:
        return 0
    derived.publish(tx, ChangeKind.PURGED, memory_ids, at=now)
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
    tx.run(sources.REPOINT, (keeper_id, as_list(loser_ids)))
    tx.run(sources.MOVE, (as_list(loser_ids), keeper_id))
    link.hand_over(tx, loser_ids, keeper_id, now=now)
    merged = {"mergedFrom": list(loser_ids), "mergedTags": list(tags)}
    history.record(tx, keeper_id, Event.MERGED, actor=actor, at=now, metadata=merged)
    for loser in loser_ids:
        forget(tx, loser, actor=actor, reason=f"dedup: duplicate of {keeper_id}", now=now)


def stored_row(tx: WriteTx, memory_id: str) -> Row | None:
    return tx.one(sql.WHOLE, (memory_id,))


def keep_copy(tx: WriteTx, old: Row, *, reason: str, at: datetime) -> None:
    """Store the row before a change of the pipeline, so that a person can undo the change (PIP-58)."""
    whole = json.dumps(dict(old), ensure_ascii=False)
    same = (old[name.strip()] for name in sql.SAME.split(","))
    times = (old["created_at"], clock.to_text(at))
    tx.run(sql.COPY, (ids.new_ordered_id(), old["id"], *same, *times, reason, whole))


def drop_deleted_copies(tx: WriteTx, memory_id: str) -> None:
    """Delete the stored rows of a recovered memory, so that none remains if it is forgotten later."""
    tx.run(sql.DELETE_COPIES, (memory_id, PIPELINE_DELETE))
