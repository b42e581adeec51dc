"""The SQL of injections: `session_injections`, `injected_items`, and the steps that wait to be read (`trace.py`)."""

import json
from collections.abc import Iterable

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.injections.models import Injection, Item, Phase, Spans, hash_of
from signet.domain.transcripts import steps as messages

#: Items that are kept of one injection: a recall may ask for a thousand.
MOST_ITEMS = 100
#: Sessions among which a key that nobody knows is looked for.
KNOWN_KEYS = 500

_PROMPTS = """
SELECT coalesce(max(prompt), 0) FROM session_injections WHERE agent_id = ? AND session_key = ?"""
_INSERT = """
INSERT INTO session_injections (agent_id, session_key, harness, project, phase, prompt, prompt_hash, chars, best_score,
    floor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"""
_INSERT_ITEM = """
INSERT INTO injected_items (injection_seq, place, kind, source_id, is_given, reason, score, said_at, chars, text_hash,
    spans) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_OF_SESSION = "SELECT * FROM session_injections WHERE agent_id = ? AND session_key = ? ORDER BY seq"
_KNOWN = "SELECT 1 FROM session_injections WHERE agent_id = ? AND session_key = ? LIMIT 1"
_ITEMS = """
SELECT i.* FROM session_injections s JOIN injected_items i ON i.injection_seq = s.seq
 WHERE s.agent_id = ? AND s.session_key = ? ORDER BY i.injection_seq, i.place"""
_KEYS = """
SELECT agent_id, session_key, project FROM session_injections
 WHERE (:agent IS NULL OR agent_id = :agent) AND (:within IS NULL OR project = :within)
   AND (:project IS NULL OR project = :project OR substr(:project, 1, length(project) + 1) = project || '/')
 GROUP BY agent_id, session_key ORDER BY max(seq) DESC LIMIT :limit"""
_USE = "UPDATE injected_items SET used = ?, used_in = ? WHERE injection_seq = ? AND place = ?"
_PUT_STEPS = """
INSERT INTO session_steps (agent_id, session_key, content) VALUES (?, ?, ?)
ON CONFLICT (agent_id, session_key) DO UPDATE SET content = excluded.content"""
_STEPS = "SELECT content FROM session_steps WHERE agent_id = ? AND session_key = ?"
_DROP_STEPS = "DELETE FROM session_steps WHERE agent_id = ? AND session_key = ? AND content = ?"
#: Left behind where their job has died.
_DROP_LOST_STEPS = """
DELETE FROM session_steps AS t WHERE NOT EXISTS (
  SELECT 1 FROM session_injections s WHERE s.agent_id = t.agent_id AND s.session_key = t.session_key)"""
_OLD = "SELECT seq FROM session_injections WHERE created_at < ? ORDER BY seq LIMIT ?"
_DROP_ITEMS = "DELETE FROM injected_items WHERE injection_seq IN (SELECT value FROM json_each(?))"
_DROP = "DELETE FROM session_injections WHERE seq IN (SELECT value FROM json_each(?))"


def insert(tx: WriteTx, found: Iterable[Injection]) -> None:
    """Keep injections."""
    for injection in found:
        _insert(tx, injection)


def _insert(tx: WriteTx, injection: Injection) -> None:
    prompts = int(tx.value(_PROMPTS, (injection.agent_id, injection.key)))
    is_prompt = injection.phase is Phase.PROMPT
    row = tx.one(
        _INSERT,
        (
            injection.agent_id,
            injection.key,
            injection.harness,
            injection.project,
            injection.phase,
            prompts + is_prompt,
            messages.hash_of(injection.prompt) if is_prompt else None,
            injection.chars,
            injection.best_score,
            injection.floor,
            clock.to_text(injection.at),
        ),
    )
    assert row is not None
    tx.many(
        _INSERT_ITEM,
        [
            (row["seq"], place, *_item(item), _stored(injection.spans.get(place)))
            for place, item in enumerate(injection.items[:MOST_ITEMS])
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


def spans_of(stored: str | None) -> Spans:
    """Return the ranges that a row holds."""
    return [(start, length) for start, length in json.loads(stored)] if stored else []


def is_known(tx: ReadTx, agent_id: str, key: str) -> bool:
    """Return whether anything is recorded of a session."""
    return tx.one(_KNOWN, (agent_id, key)) is not None


def injections(tx: ReadTx, agent_id: str, key: str) -> list[Row]:
    """Return the injections of a session, oldest first."""
    return tx.all(_OF_SESSION, (agent_id, key))


def items(tx: ReadTx, agent_id: str, key: str) -> list[Row]:
    """Return the items of all injections of a session, in order."""
    return tx.all(_ITEMS, (agent_id, key))


def sessions(
    tx: ReadTx, *, agent_id: str | None, within: str | None, project: str | None = None
) -> list[Row]:
    """Return agent, key and project of the sessions that were given something, newest first.

    `within` is the project that the caller is limited to; `project` is a folder in a project.
    """
    asked = {"agent": agent_id, "within": within, "project": project, "limit": KNOWN_KEYS}
    return tx.all(_KEYS, asked)


def use(tx: WriteTx, found: Iterable[tuple[Row, str, str | None]]) -> None:
    """Keep for items what shows that they were used, and where in the transcript."""
    tx.many(_USE, [(by, where, row["injection_seq"], row["place"]) for row, by, where in found])


def put_steps(tx: WriteTx, agent_id: str, key: str, content: str) -> None:
    """Keep the steps of a session until they are read."""
    tx.run(_PUT_STEPS, (agent_id, key, content))


def steps(tx: ReadTx, agent_id: str, key: str) -> str:
    """Return the steps that wait to be read, empty for none."""
    return tx.value(_STEPS, (agent_id, key)) or ""


def drop_steps(tx: WriteTx, agent_id: str, key: str, content: str) -> None:
    """Forget the steps that were read, unless newer ones have replaced them."""
    tx.run(_DROP_STEPS, (agent_id, key, content))


def purge(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest injections with their items and return how many."""
    seqs = json.dumps([row[0] for row in tx.all(_OLD, (before, limit))])
    tx.run(_DROP_ITEMS, (seqs,))
    gone = tx.run(_DROP, (seqs,))
    if gone:
        tx.run(_DROP_LOST_STEPS)
    return gone
