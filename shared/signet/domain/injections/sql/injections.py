"""What sessions were given: `session_injections`, `injected_items`, and `session_steps` that wait to be read."""

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, as_list
from signet.domain.injections.models import Injection, Item, Spans, hash_of

#: Sessions among which a key that nobody knows is looked for.
KNOWN_KEYS = 500


class InjectionRow(NamedTuple):
    """One injection of a session; `prompt` is the number of the prompt that it belongs to."""

    seq: int
    harness: str
    project: str | None
    phase: str
    prompt: int
    prompt_hash: str | None
    chars: int
    best_score: float | None
    floor: float | None
    created_at: str


class ItemRow(NamedTuple):
    """One item of an injection; `spans` and `used_in` are JSON."""

    injection_seq: int
    place: int
    kind: str
    source_id: str
    is_given: int
    reason: str
    score: float | None
    said_at: str | None
    chars: int
    text_hash: str | None
    spans: str | None
    used: Literal["named", "quoted", "values", "words", "no"] | None
    used_in: str | None


class NewRow(NamedTuple):
    """An injection as far as watchers hear of it."""

    seq: int
    agent_id: str
    session_key: str
    project: str | None
    phase: str


class UseRow(NamedTuple):
    """A session that a memory was considered for."""

    agent_id: str
    session_key: str
    harness: str
    project: str | None
    phase: str
    prompt: int
    created_at: str
    is_given: int
    reason: str
    score: float | None
    used: str | None


class SessionRow(NamedTuple):
    """A session that was given something."""

    agent_id: str
    session_key: str
    project: str | None


PROMPTS = """
SELECT coalesce(max(prompt), 0) FROM session_injections WHERE agent_id = ? AND session_key = ?"""
_INSERT = """
INSERT INTO session_injections (agent_id, session_key, harness, project, phase, prompt, prompt_hash, chars, best_score,
    floor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"""
_INSERT_ITEM = """
INSERT INTO injected_items (injection_seq, place, kind, source_id, is_given, reason, score, said_at, chars, text_hash,
    spans) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
OF_SESSION = f"""
SELECT {", ".join(InjectionRow._fields)} FROM session_injections WHERE agent_id = ? AND session_key = ? ORDER BY seq"""
KNOWN = "SELECT 1 FROM session_injections WHERE agent_id = ? AND session_key = ? LIMIT 1"
_ITEMS = f"""
SELECT {", ".join(f"i.{name}" for name in ItemRow._fields)}
  FROM session_injections s JOIN injected_items i ON i.injection_seq = s.seq
 WHERE s.agent_id = ? AND s.session_key = ? ORDER BY i.injection_seq, i.place"""
LAST = "SELECT coalesce(max(seq), 0) FROM session_injections"
SINCE = f"""
SELECT {", ".join(NewRow._fields)} FROM session_injections WHERE seq > ? ORDER BY seq LIMIT ?"""
USES = """
SELECT s.agent_id, s.session_key, s.harness, s.project, s.phase, s.prompt, s.created_at, i.is_given, i.reason, i.score,
       i.used
  FROM injected_items i CROSS JOIN session_injections s ON s.seq = i.injection_seq
 WHERE i.kind = 'memory' AND i.source_id = :memory AND (:agent IS NULL OR s.agent_id = :agent)
   AND (:within IS NULL OR s.project = :within) ORDER BY s.seq DESC LIMIT :limit"""
SESSIONS = """
SELECT agent_id, session_key, project FROM session_injections
 WHERE (:agent IS NULL OR agent_id = :agent) AND (:within IS NULL OR project = :within)
   AND (:project IS NULL OR project = :project OR substr(:project, 1, length(project) + 1) = project || '/')
 GROUP BY agent_id, session_key ORDER BY max(seq) DESC LIMIT :limit"""
USE = "UPDATE injected_items SET used = ?, used_in = ? WHERE injection_seq = ? AND place = ?"
PUT_STEPS = """
INSERT INTO session_steps (agent_id, session_key, content) VALUES (?, ?, ?)
ON CONFLICT (agent_id, session_key) DO UPDATE SET content = excluded.content"""
STEPS = "SELECT content FROM session_steps WHERE agent_id = ? AND session_key = ?"
DELETE_STEPS = "DELETE FROM session_steps WHERE agent_id = ? AND session_key = ? AND content = ?"
#: Left behind where their job has died.
_DELETE_LOST_STEPS = """
DELETE FROM session_steps AS t WHERE NOT EXISTS (
  SELECT 1 FROM session_injections s WHERE s.agent_id = t.agent_id AND s.session_key = t.session_key)"""
_OLD = "SELECT seq FROM session_injections WHERE created_at < ? ORDER BY seq LIMIT ?"
_DELETE_ITEMS = f"DELETE FROM injected_items WHERE injection_seq IN {LIST}"
_DELETE = f"DELETE FROM session_injections WHERE seq IN {LIST}"
RUNS = (
    "SELECT count(*) FROM session_states WHERE agent_id = ? AND session_key = ? AND expires_at > ?"
)


def insert(
    tx: WriteTx,
    injection: Injection,
    items: Sequence[Item],
    *,
    prompt: int,
    prompt_hash: str | None,
) -> None:
    """Store an injection with these of its items; `prompt` is the number of its prompt."""
    seq = tx.value(
        _INSERT,
        (
            injection.agent_id,
            injection.key,
            injection.harness,
            injection.project,
            injection.phase,
            prompt,
            prompt_hash,
            injection.chars,
            injection.best_score,
            injection.floor,
            clock.to_text(injection.at),
        ),
    )
    tx.many(
        _INSERT_ITEM,
        [
            (seq, place, *_item(item), _stored(injection.spans.get(place)))
            for place, item in enumerate(items)
        ],
    )


def _item(item: Item) -> tuple[object, ...]:
    return (
        item.kind,
        item.id,
        item.is_given,
        item.reason,
        item.score,
        item.said_at,
        item.chars,
        hash_of(item.text) if item.text else None,
    )


def _stored(spans: Spans | None) -> str | None:
    return json.dumps(spans) if spans else None


def spans_of(item: ItemRow) -> Spans:
    """Return the ranges of its source that an item was."""
    return [(start, length) for start, length in json.loads(item.spans)] if item.spans else []


def items(tx: ReadTx, agent_id: str, key: str) -> list[ItemRow]:
    """Return the items of all injections of a session, in order."""
    return tx.rows(ItemRow, _ITEMS, (agent_id, key))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest injections with their items and return how many."""
    seqs = as_list(row[0] for row in tx.tuples(_OLD, (before, limit)))
    tx.run(_DELETE_ITEMS, (seqs,))
    gone = tx.run(_DELETE, (seqs,))
    if gone:
        tx.run(_DELETE_LOST_STEPS)
    return gone
