"""Share a memory in a space, decide about it, and withdraw it.

The memory itself moves: its visibility names the space, its owner stays its author. Readers, ranking, export and events
follow from that in `db/visibility.py`. A share records who shared the memory and when, and its earlier fields,
which a withdrawal restores.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from signet import clock, ids
from signet.db import ReadTx, WriteTx, barrier, cursor
from signet.db.dialect import as_list
from signet.domain.agents import registry as agents
from signet.domain.audit import log as audit
from signet.domain.auth import caller, issued
from signet.domain.auth.caller import OWNER, acting_for, not_for_agents
from signet.domain.memory import leave, lookup, modify
from signet.domain.memory.forgotten import RESTORER
from signet.domain.memory.lookup import Refused
from signet.domain.memory.models import Actor, Memory, Patch, Rules
from signet.domain.spaces import registry, sql
from signet.errors import Conflict, Forbidden, Frozen, Invalid, NotFound
from signet.wire import spaces as wire
from signet.wire.access import Verb
from signet.wire.audit import AuditAction

#: Characters of a text in a list.
SHOWN_CHARS = 400
#: Memories withdrawn in one transaction when a space is removed.
BATCH = 50
#: The fields that a withdrawal restores, besides the visibility.
_RESTORED = ("content", "type", "tags", "importance", "pinned", "who", "project")


class ShareState(StrEnum):
    """The state of a share; the strings are stored."""

    PROPOSED = "proposed"
    SHARED = "shared"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


class ShareRow(NamedTuple):
    """One share; `before` is JSON with the memory's visibility and fields, `version` its version."""

    id: str
    memory_id: str
    space: str
    state: str
    agent_id: str
    version: int
    before: str
    note: str | None
    shared_by: str
    shared_at: str
    decided_by: str | None
    decided_at: str | None
    ended_by: str | None
    ended_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFilter:
    """A page of shares."""

    space: str | None = None
    state: str | None = None
    memory_id: str | None = None
    limit: int = 100
    cursor: str | None = None


def share(
    tx: WriteTx,
    memory_id: str,
    space: str,
    *,
    agent_id: str,
    note: str | None,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> wire.Share:
    """Let a memory enter a space, or propose it where the space asks for review.

    Raises ScopeDenied without the verb or for a memory of another owner, Unknown, Invalid for a memory that cannot be
    shared, and Conflict for one that is shared or proposed already.
    """
    _check_person(rules)
    caller.current().check_space(space, Verb.PROMOTE)
    waits = registry.is_reviewed(tx, space)
    _check_free(lookup.readable(tx, memory_id, reader=agents.reader(tx, agent_id)))
    memory = leave.pieces(tx, lookup.known(tx, memory_id, agent_id=agent_id))[0]
    _check_shareable(tx, memory)
    before = {name: getattr(memory, name) for name in ("visibility", *_RESTORED)}
    state = ShareState.PROPOSED if waits else ShareState.SHARED
    by = (note, actor.name, clock.to_text(now))
    row = (ids.new_ordered_id(), memory.id, space, state, memory.agent_id, memory.version)
    tx.run(sql.ADD, (*row, json.dumps(before, ensure_ascii=False), *by))
    if not waits:
        _enter(tx, memory, space, note, actor, now)
    _log(tx, AuditAction.PROPOSE if waits else AuditAction.SHARE, memory.id, space, now)
    return _shown(tx, _get(tx, row[0]))


def decide(
    tx: WriteTx, share_id: str, *, approves: bool, actor: Actor, rules: Rules, now: datetime
) -> wire.Share:
    """Let a proposed memory enter its space, or refuse it.

    Raises NotFound, ScopeDenied without the verb `write`, Forbidden for one's own proposal, and Conflict if it was
    decided already or the memory has changed since.
    """
    _check_person(rules)
    asked, row = caller.current(), _get(tx, share_id)
    asked.check_space(row.space, Verb.WRITE)
    if row.state != ShareState.PROPOSED:
        raise Conflict(f"This was already {row.state}", "decided")
    if asked.scope.agent == row.agent_id:
        raise Forbidden("Somebody else must decide about your proposal", "own_proposal")
    memory = lookup.find(tx, row.memory_id)
    asked.check_row(project=memory.project if memory else None)
    if approves and (memory is None or memory.is_deleted or memory.version != row.version):
        raise Conflict("The memory has changed since it was proposed", "changed_since")
    state = ShareState.SHARED if approves else ShareState.REFUSED
    tx.run(sql.DECIDE, (state, actor.name, clock.to_text(now), row.id))
    if approves and memory is not None:
        _enter(tx, memory, row.space, row.note, actor, now)
    _log(tx, AuditAction.SHARE if approves else AuditAction.REFUSE, row.memory_id, row.space, now)
    return _shown(tx, _get(tx, share_id))


def withdraw(
    tx: WriteTx, memory_id: str, *, actor: Actor, rules: Rules, now: datetime
) -> wire.Share:
    """Return a memory to its author, with its earlier text and fields, or cancel a proposal.

    Its author may do this, and keys with `write` in the space. Raises NotFound, ScopeDenied and Frozen.
    """
    _check_person(rules)
    memory, asked = lookup.find(tx, memory_id), caller.current()
    named = leave.pieces(tx, memory)[0].id if memory else memory_id
    row = tx.row(ShareRow, sql.OPEN, (named,))
    is_seen = row is not None and (
        asked.may_in(row.space, Verb.READ) or asked.scope.agent in (None, row.agent_id)
    )
    if row is None or not (is_seen or asked.may_in(row.space, Verb.WRITE)):
        raise NotFound("This memory is in no space", memoryId=memory_id)
    if not asked.may_in(row.space, Verb.WRITE):
        asked.check_row(agent=row.agent_id)
    asked.check_row(project=memory.project if memory else None)
    _leave(tx, row, actor=actor, rules=rules, now=now)
    return _shown(tx, _get(tx, row.id))


def withdraw_all(tx: WriteTx, space: str, *, actor: Actor, rules: Rules, now: datetime) -> int:
    """Withdraw the next memories of a space; return their number, 0 at the end."""
    found = tx.column(sql.OPEN_IN, (space, BATCH))
    for share_id in found:
        _leave(tx, _get(tx, share_id), actor=actor, rules=rules, now=now)
    return len(found)


def carry_over(before: ReadTx, tx: WriteTx, *, now: datetime) -> None:
    """Copy withdrawn shares, revoked tokens and later audit entries into a restored database."""
    audit.carry_over(before, tx)
    issued.carry_over(before, tx)
    for share_id in before.column(sql.WITHDRAWN):
        row = tx.row(ShareRow, sql.BY_ID, (share_id,))
        if row and row.state in (ShareState.PROPOSED, ShareState.SHARED):
            _leave(tx, row, actor=RESTORER, rules=Rules(), now=now)


def page(tx: ReadTx, asked: ShareFilter, *, agent_id: str) -> wire.Shares:
    """Return shares, newest first: the agent's own, those of spaces that the caller reads, and what it may decide.

    Raises BadCursor.
    """
    by = caller.current()
    at, last = cursor.read(asked.cursor, str, str) if asked.cursor else (None, None)
    given = {
        "space": asked.space,
        "state": asked.state,
        "memory": asked.memory_id,
        "project": by.scope.project,
        "any": int(by.spaces(Verb.READ) is None),
        "agent": agent_id,
        "writes": as_list(by.spaces(Verb.WRITE) or ()),
        "reads": as_list(by.spaces(Verb.READ) or ()),
        "limit": asked.limit + 1,
        "at": at,
        "last": last,
    }
    rows, following = cursor.cut(
        tx.rows(ShareRow, sql.PAGE, given), asked.limit, lambda row: (row.shared_at, row.id)
    )
    with barrier.lifted(tx.connection):  # what is proposed is still private to its author
        return {"shares": [_shown(tx, row) for row in rows], "next": following}


def delete_of_memories(tx: WriteTx, memory_ids: Sequence[str]) -> None:
    tx.run(sql.DELETE_OF, (as_list(memory_ids),))


def _check_person(rules: Rules) -> None:
    if caller.current().for_agent:
        raise not_for_agents("share or withdraw memories", "signet share ID --to SPACE")
    if rules.frozen:
        raise Frozen


def _check_free(memory: Memory | None) -> None:
    if space := ids.space_of(memory.visibility) if memory else None:
        raise Conflict(f"This memory is already in the space '{space}'", "shared_already")


def _check_shareable(tx: ReadTx, memory: Memory) -> None:
    if tx.row(ShareRow, sql.OPEN, (memory.id,)):
        raise Conflict("This memory already waits for a decision", "shared_already")
    if memory.is_deleted or memory.visibility == "archived":
        raise Invalid("a forgotten memory cannot be shared")
    if memory.type == "document_chunk":
        raise Invalid("a piece of a document cannot be shared")
    if memory.review == "waiting":
        raise Invalid("this memory itself waits for review: signet review")


def _enter(
    tx: WriteTx, memory: Memory, space: str, note: str | None, actor: Actor, now: datetime
) -> None:
    if not leave.enter(tx, memory, ids.of_space(space), actor=actor, reason=note, now=now):
        raise Conflict("The space already has this text by the same author", "shared_already")


def _leave(tx: WriteTx, row: ShareRow, *, actor: Actor, rules: Rules, now: datetime) -> None:
    memory, before = lookup.find(tx, row.memory_id), json.loads(row.before)
    if row.state == ShareState.SHARED and memory is not None:
        reason = f"withdrawn from {row.space}"
        leave.withdraw(tx, memory, before["visibility"], actor=actor, reason=reason, now=now)
        # The memory is its author's again, so the caller acts for the author.
        with acting_for(OWNER), suppress(Refused):
            _restore(tx, memory, before, actor=actor, rules=rules, now=now)
    tx.run(sql.END, (actor.name, clock.to_text(now), row.id))
    _log(tx, AuditAction.WITHDRAW, row.memory_id, row.space, now)


def _restore(
    tx: WriteTx,
    memory: Memory,
    before: dict[str, Any],
    *,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> None:
    """Give an active memory the text and fields that it had when it was shared."""
    found = lookup.find(tx, memory.id)
    if found is None or found.is_deleted:
        return
    fields: dict[str, Any] = {**before, "tags": tuple(before["tags"] or ())}
    changed: dict[str, Any] = {
        name: "" if fields[name] is None else fields[name]
        for name in _RESTORED
        if fields[name] != getattr(found, name)
    }
    if changed:
        patch = Patch(
            memory_id=memory.id,
            agent_id=memory.agent_id,
            reason="as before it was shared",
            masked=(),
            **changed,
        )
        modify.modify(tx, patch, actor=actor, rules=rules, now=now)


def _get(tx: ReadTx, share_id: str) -> ShareRow:
    row = tx.row(ShareRow, sql.BY_ID, (share_id,))
    if row is None:
        raise NotFound("no share has this id", id=share_id)
    return row


def _shown(tx: ReadTx, row: ShareRow) -> wire.Share:
    asked = caller.current()
    memory = lookup.find(tx, row.memory_id)
    reads = {
        ShareState.PROPOSED: asked.may_in(row.space, Verb.WRITE),
        ShareState.SHARED: asked.may_in(row.space, Verb.READ),
    }.get(ShareState(row.state), False)
    is_shown = memory is not None and not memory.is_deleted and reads
    if memory and ids.space_of(memory.visibility) is None and asked.scope.agent == row.agent_id:
        is_shown = not memory.is_deleted
    return {
        "id": row.id,
        "memoryId": row.memory_id,
        "content": memory.content[:SHOWN_CHARS] if memory and is_shown else None,
        "space": row.space,
        "state": row.state,
        "author": row.agent_id.removeprefix(ids.USER_PREFIX),
        "note": row.note,
        "sharedBy": row.shared_by,
        "sharedAt": row.shared_at,
        "decidedBy": row.decided_by,
        "decidedAt": row.decided_at,
        "endedBy": row.ended_by,
        "endedAt": row.ended_at,
    }


def _log(tx: WriteTx, action: AuditAction, memory_id: str, space: str, now: datetime) -> None:
    audit.record(tx, [audit.by_caller(action, now=now, memory_ids=(memory_id,), space=space)])
