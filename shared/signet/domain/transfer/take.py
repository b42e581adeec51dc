"""Import records, several in one transaction, each completely or not at all; or preview an import.

Texts of other programs are saved only once. Their idempotency key has owner, source and text, so that a forgotten text
stays forgotten in the next import, and a changed one is a new memory.

A preview is the same import into a small database layered over the real one. Its file contains the keys and rows that
would be new. It is deleted after the last request of an import; the next preview deletes abandoned ones.
"""

import hashlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from signet import clock, engine, ids
from signet.db import WriteTx, copying, snapshot
from signet.db.driver import connect
from signet.domain.memory import marks, remember, wording
from signet.domain.memory.lookup import ValueForgotten
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.domain.memory.wording import normalize
from signet.domain.transfer import restore
from signet.domain.transfer.records import (
    FORGOTTEN,
    KINDS,
    KNOWN,
    NEW,
    VECTORS,
    Fate,
    ImportOutcome,
    Record,
    RecordRefused,
)
from signet.domain.transfer.target import Target
from signet.errors import Frozen, Invalid
from signet.text.masking import mask

#: Maximum length of a text that one transaction splits.
MAX_CHARS = 100_000

_SAME_KEY, _SAME_TEXT = KINDS["memory"].same


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportText:
    """A text to remember, its file and the headings above it."""

    new: NewMemory
    path: str | None = None
    section: str | None = None


def put_text(
    target: Target, text: ImportText, *, actor: Actor, rules: Rules, now: datetime
) -> ImportOutcome:
    """Save a new text. Raises Refused for a text that cannot be saved."""
    if not normalize(text.new.content).storage:
        raise RecordRefused("content is missing")
    if len(text.new.content) > MAX_CHARS:
        raise RecordRefused(
            f"content is longer than {MAX_CHARS} characters; add it as a document (signet document add FILE)"
        )
    key = text.new.idempotency_key or text_key(text.new)
    new = replace(text.new, idempotency_key=key, keeps_versions=True, is_asked=False)
    if target.is_preview:
        return _preview_text(target, new, rules, now)
    try:
        saved = remember.remember(target.tx, new, actor=actor, rules=rules, now=now)
    except ValueForgotten:
        return FORGOTTEN
    except Invalid as error:
        raise RecordRefused(error.message) from error
    if saved.deduped:
        return KNOWN
    if text.path or text.section:
        placed = saved.ids or (saved.id,)
        marks.set_place(target.tx, placed, path=text.path, section=text.section)
    return NEW


def text_without_secrets(text: ImportText) -> ImportText:
    """Mask a text's secrets and record their kinds; the key is that of the original text."""
    key = text.new.idempotency_key or text_key(text.new)
    return replace(text, new=remember.without_secrets(replace(text.new, idempotency_key=key)))


def text_key(new: NewMemory) -> str:
    """Return the key that prevents a source's text from being imported twice."""
    said = (new.agent_id, str(new.readers), new.scope, new.source_type, new.source_id)
    return "import:" + hashlib.sha256(json.dumps((said, new.content)).encode()).hexdigest()


def _preview_text(target: Target, new: NewMemory, rules: Rules, now: datetime) -> ImportOutcome:
    """Return the answer that `remember` would give, and store it for later texts."""
    content = new.content
    owner = {
        "agent_id": new.agent_id,
        "visibility": str(new.readers),
        "scope": new.scope,
        "project": new.project,
    }
    key: str | None = new.idempotency_key
    source = {"source_type": new.source_type, "source_id": new.source_id, "ordinal": new.ordinal}
    if target.find("memories", _SAME_KEY, {**owner, "idempotency_key": key}):
        return KNOWN
    is_long = len(content) > rules.max_chars
    outcome = KNOWN
    for piece in wording.split_text(content, rules.chunk_chars) if is_long else [content]:
        if target.is_forgotten(new.agent_id, new.scope, piece):
            outcome = outcome if outcome is NEW else FORGOTTEN
            continue
        said = {**owner, "content_hash": normalize(piece).content_hash, "is_deleted": 0}
        if target.find("memories", _SAME_TEXT, said):
            continue
        at = clock.to_text(now)
        new_one = {"id": ids.new_id(), "content": "", "content_hash": said["content_hash"]}
        new_one |= {**owner, **source, "idempotency_key": key, "created_at": at, "updated_at": at}
        copying.insert(target.tx, "memories", new_one)
        outcome, key = NEW, None
    return outcome


#: Records of one transaction, so that other writers wait only for milliseconds.
RECORDS_PER_WRITE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """The importer and the settings; `embed`: the file has no vectors."""

    actor: Actor
    rules: Rules
    embed: bool = True
    #: The key that verifies this machine's exports; empty without one.
    seal_key: bytes = field(default=b"", repr=False)


def take(
    tx: WriteTx,
    records: Sequence[Record | ImportText],
    *,
    how: How,
    now: datetime,
    is_preview: bool = False,
) -> list[ImportOutcome]:
    """Import prepared records and return their outcomes; repeating it changes nothing. Raises Frozen."""
    if how.rules.frozen and not is_preview:
        raise Frozen
    target = Target(tx=tx, is_preview=is_preview)
    return [_take_one(target, record, how, now) for record in records]


def prepared(
    records: Sequence[Record | ImportText], how: How
) -> tuple[list[Record | ImportText], tuple[str, ...]]:
    """Return the records as `take` needs them, and the kinds of secrets that were masked."""
    kinds: dict[str, None] = {}

    def clean(text: str) -> str:
        masked = mask(text)
        kinds.update(dict.fromkeys(masked.kinds))
        return masked.text

    made: list[Record | ImportText] = []
    for record in records:
        if not isinstance(record, ImportText) and record.get("record") == "memory":
            record = restore.credited(record, how.seal_key)
        if how.rules.masks and isinstance(record, ImportText):
            record = text_without_secrets(record)
            kinds.update(dict.fromkeys(record.new.masked or ()))
        elif how.rules.masks and not isinstance(record, ImportText):
            record = restore.without_secrets(record, clean)
        made.append(record)
    return made, tuple(kinds)


def slices(records: Sequence[Record | ImportText]) -> Iterator[Sequence[Record | ImportText]]:
    for first in range(0, len(records), RECORDS_PER_WRITE):
        yield records[first : first + RECORDS_PER_WRITE]


def _take_one(
    target: Target, record: Record | ImportText, how: How, now: datetime
) -> ImportOutcome:
    try:
        if isinstance(record, ImportText):
            return put_text(target, record, actor=how.actor, rules=how.rules, now=now)
        name = record.get("record")
        if name == VECTORS:
            return restore.passages(target, record, now=now)
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise RecordRefused(
                "record is missing" if name is None else f"{name} is not a known kind of record"
            )
        return restore.row(target, kind, record, rules=how.rules, embed=how.embed, now=now)
    except RecordRefused as refused:
        return ImportOutcome(fate=Fate.REFUSED, reason=str(refused))


#: Seconds without a write after which a preview file is abandoned.
LEFT_SECONDS = 3_600

_TABLES = (*(kind.table for kind in KINDS.values()), "import_aliases", "embeddings")


def preview(
    database: Path,
    folder: Path,
    run: str,
    records: Sequence[Record | ImportText],
    *,
    how: How,
    now: datetime,
) -> list[ImportOutcome]:
    """Return the outcomes of records after the earlier ones of the same `run`. Raises Invalid for a bad name."""
    path = _preview_path(folder, run)
    if not path.exists():
        _sweep_previews(folder)
    with closing(connect(path)) as connection:
        copying.overlay(connection, _file_of(database, path), _TABLES)
        connection.execute("BEGIN IMMEDIATE")
        found = take(WriteTx(connection), records, how=how, now=now, is_preview=True)
        connection.execute("COMMIT")
    return found


def _file_of(database: Path, path: Path) -> Path:
    """Return the database as a file: itself, or a copy of one on a server, made by the first request of a run."""
    if engine.url_of(database) is None:
        return database
    store = path.with_name(f"{path.name}.store")
    if not store.exists():
        made = path.with_name(f"{path.name}.making")
        snapshot.snapshot(database, made)
        made.replace(store)
    return store


def end_preview(folder: Path, run: str) -> None:
    for path in folder.glob(f"{_preview_path(folder, run).name}*"):
        path.unlink(missing_ok=True)


def _preview_path(folder: Path, run: str) -> Path:
    if not re.fullmatch(r"[0-9a-f-]{8,64}", run):
        raise Invalid("preview must have 8 to 64 hex digits and dashes")
    return folder / f"import-{run}.preview"


def _sweep_previews(folder: Path) -> None:
    for left in folder.glob("import-*.preview*"):
        if time.time() - left.stat().st_mtime > LEFT_SECONDS:
            left.unlink(missing_ok=True)
