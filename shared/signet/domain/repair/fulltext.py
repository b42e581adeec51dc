"""Full-text indexes: do they hold what their tables hold, and making anew one that does not (db/fts_index.py)."""

import time
from dataclasses import dataclass, replace
from functools import partial

from signet.db import ReadTx, fts_index
from signet.db.driver import sqlite
from signet.db.fts_index import INDEXES, Index
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.repair.models import Done, Order
from signet.domain.repair.work import Work

#: Rows that are indexed in one transaction (some 10 ms), and what others get between two.
STEP = 200
PAUSE_SECONDS = 0.005
#: How long an index is read through for a check.
READ_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a look at one index found; `indexed` is None when it is missing, `fault` what SQLite says of it."""

    index: Index
    expected: int
    indexed: int | None
    fault: str | None = None

    @property
    def is_off(self) -> bool:
        """Return whether it must be made anew. Rows and index change in one transaction, so one row less is damage."""
        return self.indexed != self.expected or self.fault is not None

    def told(self) -> dict[str, object]:
        """Return what was seen as it is answered."""
        fault = {} if self.fault is None else {"fault": self.fault}
        return {
            "expected": self.expected,
            "indexed": self.indexed or 0,
            "mismatch": self.is_off,
            **fault,
        }


def look(tx: ReadTx) -> list[Seen]:
    """Compare every index with its table, and let SQLite read it through as far as there is time."""
    ends_at = time.monotonic() + READ_SECONDS
    return [_look(tx, index, ends_at) for index in INDEXES]


def preview(tx: ReadTx, order: Order) -> Done:
    """Say whether full text is consistent."""
    return _told(tx, look(tx))


def check(work: Work) -> Done:
    """Make anew every index that differs from its table; several that ask at once share one run (RP-8).

    What an earlier run has begun is brought to its end.
    """
    seen = work.db.read(look)
    found = work.db.read(_told, seen)
    for one in seen:
        if one.is_off or work.db.read(fts_index.has, f"{one.index.name}_new"):
            rebuild(work, one.index)
    if not work.affected:
        return found
    return replace(found, affected=1, message=f"{found.message} — rebuilt")


def rebuild(work: Work, index: Index) -> None:
    """Make one index anew."""
    work.write(partial(fts_index.begin, index=index))
    while not work.step(partial(fts_index.fill, index=index, limit=STEP)):
        time.sleep(PAUSE_SECONDS)


def _told(tx: ReadTx, seen: list[Seen]) -> Done:
    memories = seen[0]
    total, deleted = diagnostics.memories(tx)
    details = {"indexes": {one.index.name: one.told() for one in seen}}
    off = [one for one in seen if one.is_off]
    rows = memories.indexed or 0
    if not off:
        message = f"FTS consistent: {total - deleted} active, {rows} FTS rows"
        return Done(affected=0, message=message, details=details)
    message = f"FTS mismatch: {total - deleted} active memories vs {rows} FTS rows"
    others = [one.index.name for one in off if one is not memories]
    if others:
        message += f" ({', '.join(others)} too)" if memories.is_off else f" ({', '.join(others)})"
    return Done(affected=1, message=message, details=details)


def _look(tx: ReadTx, index: Index, ends_at: float) -> Seen:
    expected = fts_index.rows(tx, index)
    indexed = fts_index.indexed_rows(tx, index.name)
    is_whole = indexed is not None and not fts_index.missing(tx, index)
    fault = _fault(tx, index, ends_at) if is_whole else "a part of it is missing"
    return Seen(index=index, expected=expected, indexed=indexed, fault=fault)


def _fault(tx: ReadTx, index: Index, ends_at: float) -> str | None:
    """Return what SQLite finds wrong inside an index, None when nothing, or when there was no time to find it."""
    tx.connection.set_progress_handler(lambda: int(time.monotonic() > ends_at), 10_000)
    try:
        said = fts_index.integrity(tx, index)
    except sqlite.OperationalError:
        return None
    except sqlite.DatabaseError as error:
        return str(error)
    finally:
        tx.connection.set_progress_handler(None, 0)
    found = [line for line in said if line != "ok"]
    return found[0][:200] if found else None
