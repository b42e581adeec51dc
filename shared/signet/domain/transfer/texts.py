"""Taking in texts of other programs: each is remembered as if somebody had said it, once.

The idempotency key is made of owner, source and text, so that a text which was forgotten here does not come back with
the next import, and one that has changed at its source is a new memory.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime

from signet import clock, ids
from signet.db import copying
from signet.domain.memory import chunks, marks, remember
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.domain.memory.normalize import normalize
from signet.domain.memory.refusals import ForgottenValue
from signet.domain.transfer.kinds import KINDS
from signet.domain.transfer.records import FORGOTTEN, KNOWN, NEW, Outcome, Refused
from signet.domain.transfer.target import Target
from signet.errors import Invalid

#: What one transaction can cut into pieces while others wait.
MAX_CHARS = 100_000

_SAME_KEY, _SAME_TEXT = KINDS["memory"].same


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to remember, the file it stands in and the headings above it."""

    new: NewMemory
    path: str | None = None
    section: str | None = None


def put(target: Target, text: Text, *, actor: Actor, rules: Rules, now: datetime) -> Outcome:
    """Remember a text, or find that it is known. Raises Refused for what cannot be remembered."""
    if not normalize(text.new.content).storage:
        raise Refused("content is missing")
    if len(text.new.content) > MAX_CHARS:
        raise Refused(
            f"content is longer than {MAX_CHARS} characters; add it as a document (signet document add FILE)"
        )
    key = text.new.idempotency_key or key_of(text.new)
    new = replace(text.new, idempotency_key=key, keeps_versions=True, is_asked=False)
    if target.is_preview:
        return _preview(target, new, rules, now)
    try:
        saved = remember.remember(target.tx, new, actor=actor, rules=rules, now=now)
    except ForgottenValue:
        return FORGOTTEN
    except Invalid as error:
        raise Refused(error.message) from error
    if saved.deduped:
        return KNOWN
    if text.path or text.section:
        placed = saved.ids or (saved.id,)
        marks.set_place(target.tx, placed, path=text.path, section=text.section)
    return NEW


def without_secrets(text: Text) -> Text:
    """Return a text with its secrets replaced and their kinds noted, under the key that it had with them."""
    key = text.new.idempotency_key or key_of(text.new)
    return replace(text, new=remember.without_secrets(replace(text.new, idempotency_key=key)))


def key_of(new: NewMemory) -> str:
    """Return the key under which a text of a source is taken in once."""
    said = (new.agent_id, str(new.readers), new.scope, new.source_type, new.source_id)
    return "import:" + hashlib.sha256(json.dumps((said, new.content)).encode()).hexdigest()


def _preview(target: Target, new: NewMemory, rules: Rules, now: datetime) -> Outcome:
    """Say what `remember` would answer, and note it for the texts that follow."""
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
    for piece in chunks.split(content, rules.chunk_chars) if is_long else [content]:
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
