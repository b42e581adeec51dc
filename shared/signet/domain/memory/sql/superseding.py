"""The links from memories to what replaced them."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, THEN_JOIN, as_list, list_rows

_FIELDS = "id, content, agent_id, scope, superseded_by, valid_from"
_ONE = f"SELECT {_FIELDS} FROM memories WHERE id = ? AND is_deleted = 0"
_OLD = f"""
SELECT {", ".join(f"m.{name}" for name in _FIELDS.split(", "))}
  FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
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
#: The condition that something has replaced a row of `memories`.
REPLACED = """
({alias}.superseded_by IS NOT NULL AND EXISTS (
  WITH RECURSIVE chain (id) AS (
    SELECT {alias}.superseded_by UNION SELECT r.superseded_by FROM chain c JOIN memories r ON r.id = c.id
  )
  SELECT 1 FROM chain c JOIN memories r ON r.id = c.id WHERE r.is_deleted = 0))
"""
_CURRENT = f"""
SELECT m.id FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
 WHERE m.is_deleted = 0 AND NOT {REPLACED.format(alias="m")}"""
_ENDED = "SELECT valid_to FROM memories WHERE id = ? AND superseded_by IS NOT NULL"
_LINK = "UPDATE memories SET superseded_by = ?, valid_to = ?, updated_at = ?, updated_by = ? WHERE id = ?"
_BEGIN = "UPDATE memories SET valid_from = ?1 WHERE id = ?2 AND valid_from IS NOT ?1"
_REPOINT = f"UPDATE memories SET superseded_by = ? WHERE superseded_by IN {LIST}"


class Link(NamedTuple):
    """What replaces a memory, and what must agree with that."""

    id: str
    content: str
    agent_id: str
    scope: str | None
    superseded_by: str | None
    valid_from: str | None


class Ended(NamedTuple):
    """Until when a memory that was replaced was valid."""

    valid_to: str | None


def link_of(tx: ReadTx, memory_id: str) -> Link | None:
    """Return the link of an active memory, None when there is none."""
    return tx.row(Link, _ONE, (memory_id,))


def links_of(tx: ReadTx, memory_ids: Sequence[str]) -> list[Link]:
    """Return the links of those of the memories that are active, in this order."""
    return tx.rows(Link, _OLD, (as_list(memory_ids),))


def chain(tx: ReadTx, memory_id: str) -> list[str]:
    """Return all that replaced a memory, one after the other."""
    return [row[0] for row in tx.tuples(_CHAIN, (memory_id,))]


def current(tx: ReadTx, memory_ids: Sequence[str]) -> list[str]:
    """Return which of the memories are active, and replaced by nothing."""
    return [row[0] for row in tx.tuples(_CURRENT, (as_list(memory_ids),))]


def ended(tx: ReadTx, memory_id: str) -> Ended | None:
    """Return when a memory was replaced, None when it was not."""
    return tx.row(Ended, _ENDED, (memory_id,))


def set_link(
    tx: WriteTx, memory_id: str, by: str | None, until: str | None, *, at: datetime, actor: str
) -> None:
    """Store what replaces a memory, and from when on."""
    tx.run(_LINK, (by, until, clock.to_text(at), actor, memory_id))


def set_begin(tx: WriteTx, memory_id: str, begins: str) -> None:
    """Store from when on a memory is valid."""
    tx.run(_BEGIN, (begins, memory_id))


def repoint(tx: WriteTx, memory_ids: Sequence[str], keeper_id: str) -> None:
    """Let what these memories had replaced be replaced by another."""
    tx.run(_REPOINT, (keeper_id, as_list(memory_ids)))
