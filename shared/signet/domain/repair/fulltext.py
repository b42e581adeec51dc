"""Compare full-text indexes with their tables, and rebuild wrong ones (db/fts_index.py)."""

import time
from dataclasses import dataclass, replace
from functools import partial

from signet.db import ReadTx, fts_index
from signet.db.driver import sqlite
from signet.db.fts_index import INDEXES, Index
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.repair.models import Done, Order
from signet.domain.repair.work import Work

#: Rows indexed per transaction (some 10 ms), and the pause for others in between.
STEP = 200
PAUSE_SECONDS = 0.005
#: Seconds for reading through an index.
READ_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The check of one index; `indexed` is None if it is missing, `fault` is SQLite's finding."""

    index: Index
    expected: int
    indexed: int | None
    fault: str | None = None

    @property
    def is_off(self) -> bool:
        """Return whether it must be rebuilt. Rows and index change in one transaction, so one missing row is damage."""
        return self.indexed != self.expected or self.fault is not None

    def as_dict(self) -> dict[str, object]:
        """Return the check's JSON."""
        fault = {} if self.fault is None else {"fault": self.fault}
        return {
            "expected": self.expected,
            "indexed": self.indexed or 0,
            "mismatch": self.is_off,
            **fault,
        }


def check_all(tx: ReadTx) -> list[Seen]:
    """Compare every index with its table, and let SQLite read it within the time limit."""
    ends_at = time.monotonic() + READ_SECONDS
    return [_look(tx, index, ends_at) for index in INDEXES]


def preview(tx: ReadTx, order: Order) -> Done:
    """Return whether full text is consistent."""
    return _told(tx, check_all(tx))


def check(work: Work) -> Done:
    """Rebuild every wrong index; concurrent callers share one run (RP-8).

    Also finishes what an earlier run has started.
    """
    seen = work.db.read(check_all)
    found = work.db.read(_told, seen)
    for one in seen:
        if one.is_off or work.db.read(fts_index.has, f"{one.index.name}_new"):
            rebuild(work, one.index)
    if not work.affected:
        return found
    return replace(found, affected=1, message=f"{found.message} — rebuilt")


def rebuild(work: Work, index: Index) -> None:
    """Rebuild one index."""
    work.write(partial(fts_index.begin, index=index))
    while not work.step(partial(fts_index.fill, index=index, limit=STEP)):
        time.sleep(PAUSE_SECONDS)


def _told(tx: ReadTx, seen: list[Seen]) -> Done:
    memories = seen[0]
    total, deleted = diagnostics.memories(tx)
    details = {"indexes": {one.index.name: one.as_dict() for one in seen}}
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
    """Return SQLite's finding inside an index, None without one or without time."""
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
