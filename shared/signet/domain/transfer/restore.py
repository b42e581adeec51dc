"""Restore rows with their IDs, times, versions and history.

A record is known if its row exists, under its ID or as an equal row. Nothing is overwritten, with one exception: an
agent that is unchanged and owns no memory takes the policy of the file. Rows go straight into their tables, because
restoring is no new event, and every kind is a row of a table in `records.py`.
"""

import base64
import binascii
import json
import math
from collections.abc import Callable, Mapping
from datetime import datetime

from signet import clock, ids
from signet.db import copying, vectors
from signet.db.copying import Column
from signet.db.visibility import ReadPolicy
from signet.domain.memory import marks, origin
from signet.domain.memory.models import ExtractionStatus, Rules, Visibility
from signet.domain.memory.wording import normalize
from signet.domain.transfer import export
from signet.domain.transfer.records import (
    FORGOTTEN,
    KNOWN,
    NEW,
    ROW_NUMBER,
    ImportOutcome,
    Record,
    RecordKind,
    RecordRefused,
)
from signet.domain.transfer.target import ENTITY, MEMORY, Target
from signet.queue import BULK, NewJob, enqueue
from signet.wire.origin import Origin

#: Documents in these states are not read again.
_SETTLED = ("done", "failed", "deleted")
_WORDS = {
    ("memory", "visibility"): frozenset(Visibility),
    ("memory", "extraction_status"): frozenset(ExtractionStatus),
    ("agent", "read_policy"): frozenset(ReadPolicy),
}
_TIMES = frozenset({"valid_from", "valid_to", "last_accessed"})
_SHARES = frozenset({"importance", "confidence"})
#: Texts that a preview does not store, because no later record needs them.
_LONG = frozenset({"content", "raw_content", "normalized_content", "old_content", "new_content"})
#: Texts that people and their agents wrote.
_TEXTS = frozenset({"content", "raw_content", "old_content", "new_content"})
_MAX_INTEGER = 2**63 - 1

_HAS_VECTOR = "source_type = 'memory' AND source_id = :id"
#: The vector that a preview stores, without content.
_EMPTY_VECTOR = {
    **{"content_hash": "", "vector": b"", "dimensions": 0, "source_type": "memory"},
    **{"chunk_text": "", "created_at": ""},
}


def row(
    target: Target, kind: RecordKind, given: Record, *, rules: Rules, embed: bool, now: datetime
) -> ImportOutcome:
    """Store one row, with the jobs it still needs; `embed`: the file has no vectors. Raises Refused."""
    values = _values(kind, given, target.columns(kind), now)
    if kind.name == "agent":
        return _agent(target, kind, values)
    [first, *rest] = kind.key
    has_own_id = not rest and all(ref.column != first for ref in kind.references)
    if has_own_id and target.id_of(kind.name, values[first]) is not None:
        return KNOWN
    if _is_left_out(target, kind, values):
        if kind.name == "mention":
            target.leave_out_name(values["memory_id"], values["entity_id"])
        return FORGOTTEN
    _resolve(target, kind, values)
    if kind.name in ("dependency", "relation") and _is_said_by_left_out(target, values):
        return FORGOTTEN
    same = kind.same if has_own_id else (" AND ".join(f"{name} = :{name}" for name in kind.key),)
    for condition in same:
        found = target.find(kind.table, condition, values)
        if found is not None:
            if has_own_id:
                target.keep_alias(kind, values[first], found[first])
            return KNOWN
    if kind.name == MEMORY:
        owner, said, is_hidden = values["agent_id"], str(values["content"]), values["is_deleted"]
        if target.is_forgotten(owner, values["scope"], said, is_hidden=bool(is_hidden)):
            target.leave_out(values["id"])
            return FORGOTTEN
    if target.is_preview:
        values |= dict.fromkeys(_LONG & values.keys(), "")
    if not copying.insert(target.tx, kind.table, values):
        raise RecordRefused("the values contradict each other")
    if not target.is_preview:
        _enqueue(target, kind, values, rules=rules, embed=embed, now=now)
    return NEW


def credited(given: Record, key: bytes) -> Record:
    """Return the record of a memory with the origin that it may have: the stated one needs a seal (MEM-65)."""
    if export.is_sealed(given, key):
        return given
    content, kind = given.get("content"), given.get("source_type")
    words = origin.decided(
        next((one for one in Origin if one == given.get("origin")), None),
        kind if isinstance(kind, str) else None,
        by=Origin.IMPORTED,
        may_claim=Origin.IMPORTED,
    )
    said = content if isinstance(content, str) else None
    review = None if said is None else origin.review(words, said, str(given.get("type")))
    return {**given, "origin": words, "review": review}


def passages(target: Target, given: Record, *, now: datetime) -> ImportOutcome:
    """Store the vectors of a memory without any. Raises Refused, also for vectors of another text."""
    named = given.get("memory_id")
    memory_id = target.id_of("memory", named) if isinstance(named, str) else None
    if memory_id is None and target.is_left_out(named):
        return FORGOTTEN
    if memory_id is None:
        raise RecordRefused("memory_id names an unknown memory")
    found = target.find("memories", "id = :id", {"id": memory_id})
    model, content_hash = given.get("model"), given.get("content_hash")
    if found is None or not isinstance(model, str) or found["content_hash"] != content_hash:
        raise RecordRefused("the vectors belong to another text")
    pairs = _pairs(given.get("passages"))
    if target.find("embeddings", _HAS_VECTOR, {"id": memory_id}):
        return KNOWN
    if not target.is_preview:
        marks.set_vectors(target.tx, str(memory_id), str(content_hash), pairs, model, now)
    else:
        empty = {"id": memory_id, "source_id": memory_id, **_EMPTY_VECTOR}
        copying.insert(target.tx, "embeddings", empty)
    return NEW


def _pairs(given: object) -> list[tuple[str, bytes]]:
    pairs = []
    for one in given if isinstance(given, list) else ():
        text, packed = (one.get("text"), one.get("vector")) if isinstance(one, dict) else (0, 0)
        if not isinstance(text, str):
            raise RecordRefused("passages is not a list of {text, vector}")
        vector = _bytes("vector", packed)
        if len(vector) % 4 or not all(math.isfinite(number) for number in vectors.unpack(vector)):
            raise RecordRefused("a vector is not a list of float32 numbers")
        pairs.append((text, vector))
    if not pairs or len({len(vector) for _, vector in pairs}) != 1 or not pairs[0][1]:
        raise RecordRefused("passages is not a list of vectors of one length")
    return pairs


def _agent(target: Target, kind: RecordKind, values: dict[str, object]) -> ImportOutcome:
    """Add an agent, or apply the file's policy to one that is unchanged and owns nothing."""
    found = target.find(kind.table, "id = :id", values)
    if found is not None:
        owns = target.find("memories", "agent_id = :id", values)
        is_touched = found["created_at"] != found["updated_at"] or owns is not None
        if is_touched or {name: found[name] for name in values} == values:
            return KNOWN
    copying.insert(target.tx, kind.table, values, replaces=True)
    return NEW


def _is_left_out(target: Target, kind: RecordKind, values: Mapping[str, object]) -> bool:
    """Return whether a record belongs to a left-out memory, or is a forgotten value restored since."""
    if kind.name == "forgotten_value":
        active = {"id": values["memory_id"]}
        return target.find("memories", "id = :id AND is_deleted = 0", active) is not None
    if values.get("session_key") and target.is_of_forgotten_session(
        values.get("agent_id"), values["session_key"]
    ):
        return True
    return any(
        target.is_left_out(values.get(one.column), one.kind)
        for one in kind.references
        if one.kind in (MEMORY, ENTITY)
    )


def _is_said_by_left_out(target: Target, values: Mapping[str, object]) -> bool:
    ends = values["source_entity_id"], values["target_entity_id"]
    has_origin = '"origin"' in str(values["metadata"])
    return not has_origin and target.is_said_by_left_out(*ends)


def _resolve(target: Target, kind: RecordKind, values: dict[str, object]) -> None:
    """Replace references by local IDs; unneeded ones may name missing records."""
    for reference in kind.references:
        given = values.get(reference.column)
        if given is None and not reference.needed:
            continue
        ours = target.id_of(reference.kind, given)
        if ours is not None:
            values[reference.column] = ours
        elif reference.needed:
            raise RecordRefused(f"{reference.column} names an unknown {reference.kind}")


def _enqueue(
    target: Target,
    kind: RecordKind,
    values: Mapping[str, object],
    *,
    rules: Rules,
    embed: bool,
    now: datetime,
) -> None:
    """Queue the remaining jobs of a row; extracted memories are not extracted again."""
    id_ = str(values["id"]) if "id" in values else None
    if kind.name == "document" and values["status"] not in _SETTLED:
        job = NewJob(kind="document_ingest", document_id=id_, priority=BULK)
        enqueue(target.tx, job, now=now, max_attempts=rules.attempts)
    if kind.name != "memory" or values["is_deleted"]:
        return
    waits = values["extraction_status"] == ExtractionStatus.PENDING
    for name, wanted in (("extract", rules.extract and waits), ("embed", rules.embed and embed)):
        if wanted:
            agent_id = str(values["agent_id"])
            job = NewJob(kind=name, memory_id=id_, agent_id=agent_id, priority=BULK)
            enqueue(target.tx, job, now=now, max_attempts=rules.attempts)


def _values(
    kind: RecordKind, given: Record, columns: list[Column], now: datetime
) -> dict[str, object]:
    """Return the value of each column. Raises Refused for a value that does not fit its column."""
    values: dict[str, object] = {}
    stated = dict(given)
    if ids.space_of(str(stated.get("visibility"))):  # nothing enters a space by an import
        stated["visibility"] = Visibility.PRIVATE
    if kind.name == "memory":
        _complete(stated, now)
    for column in columns:
        if column.name == ROW_NUMBER:
            continue
        value = _value(kind, column, stated.get(column.name))
        if value is None and (column.name not in stated or column.needed):
            value = column.default
        if value is None and column.needed:
            raise RecordRefused(f"{column.name} is missing")
        values[column.name] = value
    return values


def without_secrets(given: Record, clean: Callable[[str], str]) -> Record:
    """Return a record with masked texts; values derived from a masked text are computed again."""
    masked = {
        name: clean(value)
        for name, value in given.items()
        if name in _TEXTS and isinstance(value, str)
    }
    if all(given[name] == text for name, text in masked.items()):
        return given
    return {name: value for name, value in given.items() if name != "normalized_content"} | masked


def _complete(stated: dict[str, object], now: datetime) -> None:
    """Add the optional fields of a memory written by hand; replace a hash that is not the text's."""
    content = stated.get("content")
    if not isinstance(content, str) or not content.strip():
        raise RecordRefused("content is missing")
    for name in ("created_at", "updated_at"):
        at = clock.parsed(text) if isinstance(text := stated.get(name), str) else None
        if at is not None and at > now:  # another machine's clock is ahead
            stated[name] = clock.to_text(now)
    stated.setdefault("created_at", clock.to_text(now))
    stated.setdefault("updated_at", stated["created_at"])
    text = normalize(content)
    if stated.get("content_hash", "") not in (None, text.content_hash):
        stated["content_hash"] = text.content_hash
        stated["normalized_content"] = text.canonical
    stated.setdefault("normalized_content", text.canonical)


def _value(kind: RecordKind, column: Column, value: object) -> object:
    """Return a value in its stored form. Raises Refused."""
    name = column.name
    if value is None:
        return None
    if column.type == "BLOB":
        return _bytes(name, value)
    if column.type == "INTEGER":
        if not isinstance(value, int) or abs(value) > _MAX_INTEGER:
            raise RecordRefused(f"{name} is not a whole number")
        return int(value)
    if column.type == "REAL":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RecordRefused(f"{name} is not a number")
        number = float(value)
        if not math.isfinite(number) or (name in _SHARES and not 0 <= number <= 1):
            raise RecordRefused(f"{name} is out of range")
        return number
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        raise RecordRefused(f"{name} is not a string")
    _check_text(kind, name, value)
    return _instant(name, value) if name in _TIMES or name.endswith("_at") else value


def _check_text(kind: RecordKind, name: str, text: str) -> None:
    if name in kind.key and not text.strip():
        raise RecordRefused(f"{name} is empty")
    words = _WORDS.get((kind.name, name))
    if words is not None and text not in words:
        raise RecordRefused(f"{name} is not one of {', '.join(sorted(words))}")
    if name in kind.json and (name != "tags" or text.startswith("[")):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            raise RecordRefused(f"{name} is not JSON") from None


def _instant(name: str, text: str) -> str:
    try:
        return clock.to_text(clock.parse(text))
    except ValueError:
        raise RecordRefused(f"{name} is not a time") from None


def _bytes(name: str, text: object) -> bytes:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else _no_bytes(name)
    except binascii.Error:
        return _no_bytes(name)


def _no_bytes(name: str) -> bytes:
    raise RecordRefused(f"{name} is not base64")
