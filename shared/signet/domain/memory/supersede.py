"""One memory replaces others: they stay in history and in recall, behind it, with the time they were valid.

Only the link is stored (`superseded_by`, `valid_from`, `valid_to`). Whether a memory is superseded *now* follows
from it: it is while the one that replaced it, or one that replaced that one, is active. So forgetting the
replacement brings the old one back, and recovering it supersedes the old one again, without a further write.

A chain never closes: when a superseded memory replaces what came after it, it is current again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.db.visibility import Where
from signet.domain.memory import derived, history
from signet.domain.memory.models import Actor, Event
from signet.domain.memory.sql import superseding as sql
from signet.domain.memory.sql.superseding import Link
from signet.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    at: datetime
    actor: Actor
    reason: str | None


def supersede(
    tx: WriteTx,
    old_ids: Sequence[str],
    *,
    by: str,
    at: datetime,
    actor: Actor,
    reason: str | None = None,
    valid_from: datetime | None = None,
) -> list[str]:
    """Let the memory `by` replace others from `valid_from` (else its own, else `at`) on; return which it did.

    Left out are: unknown and forgotten ones, `by` itself, those of another owner or scope, and those that it has
    replaced before. Each change is one `updated` event. Raises NotFound when `by` is not an active memory.
    """
    new = sql.link_of(tx, by)
    if new is None:
        raise NotFound("superseding memory not found", memoryId=by)
    found = sql.links_of(tx, list(dict.fromkeys(old_ids)))
    replaced = [old for old in found if _may_replace(new, old)]
    if not replaced:
        return []
    facts = _read_from(tx, new, replaced)
    change = _Change(at=at, actor=actor, reason=reason)
    if {old.id for old in replaced} & set(sql.chain(tx, by)):
        _link(tx, new, None, None, change)
    begins = clock.to_text(valid_from) if valid_from else new.valid_from or clock.to_text(at)
    sql.set_begin(tx, by, begins)
    for old in (*replaced, *facts):
        _link(tx, old, by, begins, change)
    return [old.id for old in replaced]


def hold_again(
    tx: WriteTx, memory_id: str, *, told_at: datetime, at: datetime, actor: Actor
) -> list[str]:
    """Let a memory that others replaced replace these, when it was told after that; return which it does."""
    row = sql.ended(tx, memory_id)
    ended = clock.parsed(row.valid_to) if row else None
    if row is None or (ended is not None and told_at < ended):
        return []
    last = sql.current(tx, sql.chain(tx, memory_id))
    return supersede(
        tx, last, by=memory_id, at=at, actor=actor, reason="said again", valid_from=told_at
    )


def is_current() -> Where:
    """Return the condition that nothing has replaced a row of `memories` (`m`)."""
    return Where(f"NOT {sql.REPLACED.format(alias='m')}")


def _read_from(tx: WriteTx, new: Link, replaced: Sequence[Link]) -> list[Link]:
    """Return what was read from the replaced memories alone and is replaced by nothing yet: it goes behind as well."""
    found = derived.along(tx, [old.id for old in replaced])
    links = sql.links_of(tx, [memory_id for memory_id, _ in found.goes])
    return [old for old in links if old.superseded_by is None and _may_replace(new, old)]


def _may_replace(new: Link, old: Link) -> bool:
    return (
        old.id != new.id
        and old.superseded_by != new.id
        and (old.agent_id, old.scope) == (new.agent_id, new.scope)
    )


def _link(tx: WriteTx, old: Link, by: str | None, until: str | None, change: _Change) -> None:
    sql.set_link(tx, old.id, by, until, at=change.at, actor=change.actor.name)
    history.record(
        tx,
        old.id,
        Event.UPDATED,
        actor=change.actor,
        at=change.at,
        old=old.content,
        new=old.content,
        reason=change.reason,
        metadata={
            "changedFields": ["superseded_by", "valid_to"],
            "contentChanged": False,
            "supersededBy": by,
            "validTo": until,
        },
    )
