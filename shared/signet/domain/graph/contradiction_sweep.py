"""Superseding attributes that nobody has compared yet: imported ones, those of plain saves, those filed later.

What extraction writes is compared at once; this looks at what has changed since the last sweep, in small steps that
may be repeated (knowledge.md §5).
"""

from collections.abc import Sequence
from datetime import datetime

from signet.db import ReadTx, Row, WriteTx, runtime_settings
from signet.domain.graph import contradictions
from signet.domain.graph.contradictions import Supersede, Superseded
from signet.queue.job_context import JobContext

#: Attributes of one sweep, and of one transaction; the next sweep goes on with the rest.
MOST = 2_000
BATCH = 20

_KEY = "supersession.swept"
#: The place is the instant of the change and the row, so that a sweep gets on however many changed at once.
_CHANGED = """
SELECT source_memory_id, updated_at || ' ' || printf('%020d', rowid) AS place FROM entity_attributes
WHERE status = 'active' AND kind = 'attribute' AND source_memory_id IS NOT NULL AND place > ?
ORDER BY place LIMIT ?
"""


def run(job: JobContext, *, supersede: Supersede, least: float, now: datetime) -> int:
    """Compare what has changed with what its entities had, as surely as `least`; return how much was looked at.

    Raises LeaseLost, Cancelled.
    """
    changed = job.db.read(_changed)
    for start in range(0, len(changed), BATCH):
        job.check()
        batch = changed[start : start + BATCH]
        told_by = list(dict.fromkeys(row["source_memory_id"] for row in batch))
        found = job.db.read(contradictions.find, told_by, least=least)
        job.db.write_quick(_write, supersede, found, batch[-1]["place"], now)
    return len(changed)


def _changed(tx: ReadTx) -> list[Row]:
    since = runtime_settings.get(tx, _KEY) or ""
    return tx.all(_CHANGED, (since, MOST))


def _write(
    tx: WriteTx, supersede: Supersede, found: Sequence[Superseded], place: str, now: datetime
) -> None:
    supersede(tx, found, now)
    runtime_settings.put(tx, _KEY, place)
