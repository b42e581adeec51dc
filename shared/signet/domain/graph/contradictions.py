"""Attributes of an entity that a newer one contradicts: superseded, never deleted.

Attributes of all aspects are compared: "lives in Paris" is filed under background, "moved to Berlin"
under events. A constraint is never superseded; running twice changes nothing more (KG-13).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.db.dialect import as_list
from signet.domain.graph import claims
from signet.domain.graph.claims import Signal
from signet.domain.graph.sql import attributes
from signet.domain.graph.sql.attributes import Compared
from signet.queue.job_context import JobContext

#: Attributes of one entity that are compared, the newest.
COMPARED = 200
#: Attributes of one sweep, and of one of its transactions; the next sweep continues with the rest.
MOST_SWEPT = 2_000
BATCH = 20
#: Up to which change the last sweep has looked.
SWEPT = "supersession.swept"
#: Each memory of an entity is compared with the same attributes, and reading one costs 36 µs: 7 ms for all of them.
_claim = lru_cache(8_192)(claims.parse)


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """An attribute that a newer one contradicts, and its source memory."""

    old_id: str
    new_id: str
    memory_id: str
    aspect: str | None
    signal: Signal


#: Calls `apply` and records it in the history of the memories, which stand above the graph: callers pass it.
Supersede = Callable[[WriteTx, Sequence[Superseded], datetime], None]


def find(tx: ReadTx, memory_ids: Sequence[str], *, least: float) -> list[Superseded]:
    """Return the contradicted attributes of the entities in these memories, with at least this confidence."""
    said = tx.tuples(attributes.SAID_BY, (as_list(memory_ids),))
    claimed = dict.fromkeys(entity_id for entity_id, name, text in said if _claim(text, name))
    found: list[Superseded] = []
    for entity_id in claimed:
        found += _contradicted(
            tx.rows(attributes.Compared, attributes.NEWEST, (entity_id, COMPARED)), set(memory_ids)
        )
    return [one for one in found if one.signal.confidence >= least]


def apply(tx: WriteTx, found: Sequence[Superseded], *, now: datetime) -> list[Superseded]:
    """Supersede the found attributes that still exist; return them."""
    at = clock.to_text(now)
    return [
        one
        for one in found
        if bool(tx.run(attributes.SUPERSEDE, (one.new_id, at, one.old_id, one.new_id)))
    ]


def sweep(job: JobContext, *, supersede: Supersede, least: float, now: datetime) -> int:
    """Compare the attributes that changed since the last sweep; return their number.

    Extraction compares at once; this is for imported, plainly saved and later classified ones. Small steps that may be
    repeated. Raises LeaseLost, Cancelled.
    """

    def write(tx: WriteTx, found: Sequence[Superseded], place: str) -> None:
        supersede(tx, found, now)
        runtime_settings.put(tx, SWEPT, place)

    since = job.db.read(runtime_settings.get, SWEPT) or ""
    changed = job.db.read(lambda tx: tx.tuples(attributes.CHANGED, (since, MOST_SWEPT)))
    for start in range(0, len(changed), BATCH):
        job.check()
        batch = changed[start : start + BATCH]
        memory_ids = list(dict.fromkeys(memory_id for memory_id, _ in batch))
        job.db.write_quick(write, job.db.read(find, memory_ids, least=least), batch[-1][1])
    return len(changed)


def _contradicted(rows: Sequence[Compared], memory_ids: set[str]) -> list[Superseded]:
    """Return contradicted attributes of one entity (newest first) where one side belongs to these memories."""
    known = [(row, _claim(row.text, row.entity_name)) for row in rows]
    found: dict[str, Superseded] = {}
    for place, (new, claim) in enumerate(known):
        for old, before in known[place + 1 :] if claim else ():
            if claim is None or before is None or old.id in found:
                continue
            if not memory_ids & {new.memory_id, old.memory_id}:
                continue
            if (new.scope, new.visibility) != (old.scope, old.visibility):
                continue  # a reader without access to the new one would be left with none
            signal = claims.replaces(claim, before)
            if signal is not None:
                found[old.id] = Superseded(
                    old_id=old.id,
                    new_id=new.id,
                    memory_id=old.memory_id,
                    aspect=old.aspect,
                    signal=signal,
                )
    return list(found.values())
