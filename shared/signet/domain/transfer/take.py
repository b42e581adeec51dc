"""Taking records in: some of them in one transaction, each of them whole or not at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from signet.db import WriteTx
from signet.domain.memory.models import Actor, Rules
from signet.domain.transfer import restore, texts
from signet.domain.transfer.kinds import KINDS
from signet.domain.transfer.records import VECTORS, Fate, Outcome, Record, Refused
from signet.domain.transfer.target import Target
from signet.domain.transfer.texts import Text
from signet.errors import Frozen
from signet.text.masking import mask

#: What one transaction takes in, so that others who write wait for some milliseconds only.
RECORDS_PER_WRITE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """Who imports under which settings; `embed` says that the file brings no vectors."""

    actor: Actor
    rules: Rules
    embed: bool = True
    #: By which memories are known that this machine has exported; empty where it has no key.
    seal_key: bytes = field(default=b"", repr=False)


def take(
    tx: WriteTx,
    records: Sequence[Record | Text],
    *,
    how: How,
    now: datetime,
    is_preview: bool = False,
) -> list[Outcome]:
    """Take prepared records in and return what became of each; the same ones again change nothing. Raises Frozen."""
    if how.rules.frozen and not is_preview:
        raise Frozen
    target = Target(tx=tx, is_preview=is_preview)
    return [_one(target, record, how, now) for record in records]


def prepared(
    records: Sequence[Record | Text], how: How
) -> tuple[list[Record | Text], tuple[str, ...]]:
    """Return the records as `take` needs them, and of which kinds the secrets were that are replaced in them."""
    kinds: dict[str, None] = {}

    def clean(text: str) -> str:
        masked = mask(text)
        kinds.update(dict.fromkeys(masked.kinds))
        return masked.text

    made: list[Record | Text] = []
    for record in records:
        if not isinstance(record, Text) and record.get("record") == "memory":
            record = restore.credited(record, how.seal_key)
        if how.rules.masks and isinstance(record, Text):
            record = texts.without_secrets(record)
            kinds.update(dict.fromkeys(record.new.masked or ()))
        elif how.rules.masks and not isinstance(record, Text):
            record = restore.without_secrets(record, clean)
        made.append(record)
    return made, tuple(kinds)


def slices(records: Sequence[Record | Text]) -> Iterator[Sequence[Record | Text]]:
    """Yield the records in the portions of one transaction."""
    for first in range(0, len(records), RECORDS_PER_WRITE):
        yield records[first : first + RECORDS_PER_WRITE]


def _one(target: Target, record: Record | Text, how: How, now: datetime) -> Outcome:
    try:
        if isinstance(record, Text):
            return texts.put(target, record, actor=how.actor, rules=how.rules, now=now)
        name = record.get("record")
        if name == VECTORS:
            return restore.passages(target, record, now=now)
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            raise Refused(
                "record is missing" if name is None else f"{name} is not a known kind of record"
            )
        return restore.row(target, kind, record, rules=how.rules, embed=how.embed, now=now)
    except Refused as refused:
        return Outcome(fate=Fate.REFUSED, reason=str(refused))
