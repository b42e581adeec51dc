"""One memory replaces others: they stay in history and in recall, behind it, with the time they were valid.

Only the link is stored (`superseded_by`, `valid_from`, `valid_to`). Whether a memory is superseded *now* follows
from it: it is while the one that replaced it, or one that replaced that one, is active. So forgetting the
replacement brings the old one back, and recovering it supersedes the old one again, without a further write.

A chain never closes: when a superseded memory replaces what came after it, it is current again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import Row, WriteTx
from signet.db.visibility import Where
from signet.domain.memory import history
from signet.domain.memory.models import Actor, Event
from signet.errors import NotFound

_FIELDS = "id, content, agent_id, scope, superseded_by, valid_from"
_ONE = f"SELECT {_FIELDS} FROM memories WHERE id = ? AND is_deleted = 0"
_OLD = f"""
SELECT {", ".join(f"m.{name}" for name in _FIELDS.split(", "))} FROM json_each(?) j JOIN memories m ON m.id = j.value
WHERE m.is_deleted = 0 ORDER BY j.key
"""
#: All that replaced a memory, one after the other; UNION ends a ring that a file from elsewhere may hold.
_CHAIN = """
WITH RECURSIVE chain (id) AS (
  SELECT superseded_by FROM memories WHERE id = ?
  UNION SELECT m.superseded_by FROM chain c JOIN memories m ON m.id = c.id
)
SELECT id FROM chain WHERE id IS NOT NULL
"""
_LAST_WORDS = """
SELECT m.id FROM json_each(?) j JOIN memories m ON m.id = j.value WHERE m.is_deleted = 0 AND {current}
"""
_ENDED = "SELECT valid_to FROM memories WHERE id = ? AND superseded_by IS NOT NULL"
_LINK = "UPDATE memories SET superseded_by = ?, valid_to = ?, updated_at = ?, updated_by = ? WHERE id = ?"
_BEGIN = "UPDATE memories SET valid_from = ? WHERE id = ? AND valid_from IS NOT ?"
_REPLACED = """
({alias}.superseded_by IS NOT NULL AND EXISTS (
  WITH RECURSIVE chain (id) AS (
    SELECT {alias}.superseded_by UNION SELECT r.superseded_by FROM chain c JOIN memories r ON r.id = c.id
  )
  SELECT 1 FROM chain c JOIN memories r ON r.id = c.id WHERE r.is_deleted = 0))
"""


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
    new = tx.one(_ONE, (by,))
    if new is None:
        raise NotFound("superseding memory not found", memoryId=by)
    found = tx.all(_OLD, (json.dumps(list(dict.fromkeys(old_ids))),))
    replaced = [old for old in found if _may_replace(new, old)]
    if not replaced:
        return []
    change = _Change(at=at, actor=actor, reason=reason)
    if {old["id"] for old in replaced} & {row[0] for row in tx.all(_CHAIN, (by,))}:
        _link(tx, new, None, None, change)
    begins = clock.to_text(valid_from) if valid_from else new["valid_from"] or clock.to_text(at)
    tx.run(_BEGIN, (begins, by, begins))
    for old in replaced:
        _link(tx, old, by, begins, change)
    return [old["id"] for old in replaced]


def hold_again(
    tx: WriteTx, memory_id: str, *, told_at: datetime, at: datetime, actor: Actor
) -> list[str]:
    """Let a memory that others replaced replace these, when it was told after that; return which it does."""
    row = tx.one(_ENDED, (memory_id,))
    ended = clock.parsed(row["valid_to"]) if row else None
    if row is None or (ended is not None and told_at < ended):
        return []
    chain = json.dumps([after[0] for after in tx.all(_CHAIN, (memory_id,))])
    last = [found[0] for found in tx.all(_LAST_WORDS.format(current=is_current().sql), (chain,))]
    return supersede(
        tx, last, by=memory_id, at=at, actor=actor, reason="said again", valid_from=told_at
    )


def is_current(alias: str = "m") -> Where:
    """Return the condition that nothing has replaced a row of `memories` (under `alias`)."""
    return Where(f"NOT {_REPLACED.format(alias=alias)}")


def _may_replace(new: Row, old: Row) -> bool:
    return (
        old["id"] != new["id"]
        and old["superseded_by"] != new["id"]
        and (old["agent_id"], old["scope"]) == (new["agent_id"], new["scope"])
    )


def _link(tx: WriteTx, old: Row, by: str | None, until: str | None, change: _Change) -> None:
    tx.run(_LINK, (by, until, clock.to_text(change.at), change.actor.name, old["id"]))
    history.record(
        tx,
        old["id"],
        Event.UPDATED,
        actor=change.actor,
        at=change.at,
        old=old["content"],
        new=old["content"],
        reason=change.reason,
        metadata={
            "changedFields": ["superseded_by", "valid_to"],
            "contentChanged": False,
            "supersededBy": by,
            "validTo": until,
        },
    )
