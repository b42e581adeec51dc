"""Repair the full-text indexes (db/fts_index.py) and the vectors with their index."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from signet import clock
from signet.db import ReadTx, WriteTx, fts_index, vectors
from signet.db.driver import sqlite, vec_loaded
from signet.db.fts_index import INDEXES, Index
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import Gap
from signet.domain.embeddings.vectors import embedded
from signet.domain.repair import sql, steps
from signet.domain.repair.models import (
    RefusalReason,
    RepairDone,
    RepairOrder,
    RepairRefused,
    RowChoice,
)
from signet.domain.repair.steps import RepairWork
from signet.errors import ProviderDown, ProviderFailed
from signet.providers.ports import Embedder
from signet.text.plural import count

#: Rows indexed per transaction (some 10 ms), and the pause for others in between.
TEXT_STEP = 200
PAUSE_SECONDS = 0.005
#: Seconds for reading through an index.
READ_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextIndexCheck:
    """The check of one index; `indexed` is missing (None) without an index, `fault` is SQLite's finding."""

    index: Index
    expected: int
    indexed: int | None
    fault: str | None = None

    @property
    def is_off(self) -> bool:
        """Return whether it must be rebuilt. Rows and index change in one transaction, so one missing row is damage."""
        return self.indexed != self.expected or self.fault is not None

    def as_dict(self) -> dict[str, object]:
        counts: dict[str, object] = {"expected": self.expected, "indexed": self.indexed or 0}
        fault = {} if self.fault is None else {"fault": self.fault}
        return {**counts, "mismatch": self.is_off, **fault}


def check_text_indexes(tx: ReadTx) -> list[TextIndexCheck]:
    """Compare every index with its table, and let SQLite read it within the time limit."""
    ends_at = time.monotonic() + READ_SECONDS
    return [_check_index(tx, index, ends_at) for index in INDEXES]


def preview_text(tx: ReadTx, order: RepairOrder) -> RepairDone:
    return _text_result(tx, check_text_indexes(tx))


def check_text(work: RepairWork) -> RepairDone:
    """Rebuild every wrong index; concurrent callers share one run (RP-8).

    Also finishes what an earlier run has started.
    """
    seen = work.db.read(check_text_indexes)
    found = work.db.read(_text_result, seen)
    for one in seen:
        if one.is_off or work.db.read(fts_index.has, f"{one.index.name}_new"):
            rebuild_text(work, one.index)
    if not work.affected:
        return found
    return replace(found, affected=1, message=f"{found.message} — rebuilt")


def rebuild_text(work: RepairWork, index: Index) -> None:
    if work.db.url is not None:
        work.step(fts_index.rebuild)
        return
    work.write(partial(fts_index.begin, index=index))
    while not work.step(partial(fts_index.fill, index=index, limit=TEXT_STEP)):
        time.sleep(PAUSE_SECONDS)


def _text_result(tx: ReadTx, seen: list[TextIndexCheck]) -> RepairDone:
    memories = seen[0]
    total, deleted = diagnostics.memories(tx)
    details = {"indexes": {one.index.name: one.as_dict() for one in seen}}
    off = [one for one in seen if one.is_off]
    rows = memories.indexed or 0
    if not off:
        message = f"FTS consistent: {total - deleted} active, {rows} FTS rows"
        return RepairDone(0, message, details)
    message = f"FTS mismatch: {total - deleted} active memories vs {rows} FTS rows"
    others = [one.index.name for one in off if one is not memories]
    if others:
        message += f" ({', '.join(others)} too)" if memories.is_off else f" ({', '.join(others)})"
    return RepairDone(1, message, details)


def _check_index(tx: ReadTx, index: Index, ends_at: float) -> TextIndexCheck:
    expected = fts_index.rows(tx, index)
    indexed = fts_index.indexed_rows(tx, index.name)
    is_whole = indexed is not None and not fts_index.missing(tx, index)
    fault = _fault(tx, index, ends_at) if is_whole else "a part of it is missing"
    return TextIndexCheck(index=index, expected=expected, indexed=indexed, fault=fault)


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


Place = TypeVar("Place", int, str)

#: Rows per transaction, which takes some milliseconds.
STEP = 100
#: Time limit of a full sweep; the next one continues.
SWEEP_SECONDS = 600.0


def preview_orphans(tx: ReadTx, order: RepairOrder) -> RepairDone:
    found = tx.all(sql.ORPHANED_VECTORS, {**sql.parameters(order.chosen), "after": "", "limit": -1})
    orphans = sum(row["vectors"] for row in found)
    message = f"dry run: would delete {count(orphans, 'orphaned vector')}"
    return RepairDone(orphans, message, {"sample": [dict(row) for row in found[: steps.SHOWN]]})


def clean(work: RepairWork) -> RepairDone:
    """Delete the vectors of deleted and forgotten memories, from both tables."""

    _walk(work, partial(_clean_some, chosen=work.order.chosen), first="")
    return RepairDone(work.affected, f"deleted {count(work.affected, 'orphaned vector')}")


def preview_reembed(tx: ReadTx, order: RepairOrder) -> RepairDone:
    left = _count_missing(tx, order, order.settings.embedding.model)
    batch = left if order.is_on("fullSweep") else min(left, order.number("batchSize"))
    sample = [{"id": memory_id} for memory_id in _missing(tx, order, None, steps.SHOWN, ())]
    message = f"dry run: would create {batch} of {count(left, 'missing vector')}"
    return RepairDone(batch, message, {"missing": left, "sample": sample})


def reembed(work: RepairWork) -> RepairDone:
    """Create missing vectors, oldest memories first; a full sweep repeats until none is missing (RP-10).

    Each is created outside a transaction and stored only if the text is unchanged.
    """
    embedder = work.models.embedder()
    model = embedder.model if embedder else work.order.settings.embedding.model
    ends_at = time.monotonic() + SWEEP_SECONDS
    failed: list[str] = []
    asked = batches = 0
    is_sweep, size = work.order.is_on("fullSweep"), work.order.number("batchSize")
    while is_sweep or (not batches and work.affected < size):
        size = size if is_sweep else size - work.affected
        ids = work.db.read(_missing, work.order, model, size, tuple(failed))
        if not ids:
            break
        before, asked, batches = work.affected, asked + len(ids), batches + 1
        if embedder is None:
            raise RepairRefused(RefusalReason.DISABLED, "embeddings are switched off")
        failed += _batch(work, embedder, ids, ends_at)
        if work.affected == before or time.monotonic() > ends_at:
            break
    left = work.db.read(_count_missing, work.order, model)
    if not asked and not work.affected:
        return RepairDone(0, "no unembedded memories found")
    chosen = count(max(asked, work.affected), "memory")
    message = f"re-embedded {work.affected} of {chosen}"
    trouble = f"{len(failed)} failed, " if failed else ""
    details = {"failed": failed[: steps.SHOWN]} if failed else {}
    return RepairDone(work.affected, f"{message} ({trouble}{left} still missing)", details)


def preview_resync(tx: ReadTx, order: RepairOrder) -> RepairDone:
    width = _width(tx, order)
    if width is None or not vec_loaded(tx.connection):
        return RepairDone(0, "dry run: nothing to index")
    if vectors.indexed_dimensions(tx) != width or _is_broken(tx, width):
        message = f"dry run: would rebuild the vector index with {width} dimensions"
        return RepairDone(int(tx.value(sql.COUNT_VECTORS_OF_WIDTH, (width,))), message)
    stray = len(tx.all(sql.STRAY_INDEX_ROWS, (0, -1)))
    lost = len(tx.all(sql.UNINDEXED_VECTORS, (0, width, -1)))
    message = f"dry run: would remove {stray} and insert {count(lost, 'row of the vector index')}"
    malformed = tx.value(sql.COUNT_MALFORMED_VECTORS)
    details = {"removed": stray, "inserted": lost, "malformed": malformed}
    return RepairDone(stray + lost, message, details)


def resync(work: RepairWork) -> RepairDone:
    """Synchronise the index with the stored vectors; create a missing or unreadable one (RP-13)."""
    width = work.db.read(_width, work.order)
    if not work.db.has_vec or width is None:
        alone = "vectors are compared one by one on this machine"
        what = "there are no vectors" if width is None else alone
        return RepairDone(0, f"no vector index needed: {what}")
    rebuilt = False
    if work.db.read(_is_broken, width):
        work.write(_drop)
    while work.write(lambda tx: int(vectors.rebuild(tx, width, limit=STEP))):
        work.check()
        rebuilt = True
    if rebuilt:
        indexed = int(work.db.read(ReadTx.value, sql.COUNT_INDEXED))
        work.affected += indexed
        message = f"rebuilt the vector index: {count(indexed, 'vector')} with {width} dimensions"
        return RepairDone(work.affected, message)
    removed = _walk(work, _remove_stray, first=0)
    inserted = _walk(work, partial(_insert_lost, width=width), first=0)
    malformed = work.db.read(ReadTx.value, sql.COUNT_MALFORMED_VECTORS)
    details = {"removed": removed, "inserted": inserted, "malformed": malformed}
    message = f"removed {removed} and inserted {count(inserted, 'row of the vector index')}"
    return RepairDone(work.affected, message, details)


def _missing(
    tx: ReadTx, order: RepairOrder, model: str | None, limit: int, failed: tuple[str, ...]
) -> list[str]:
    """Return memories without a current vector; maintenance skips those with a job."""
    if order.is_automatic:
        found = embeddings.find_gaps(tx, model=model, now=order.now, limit=limit + len(failed))
        return [memory_id for memory_id in found if memory_id not in failed]
    asked = {"model": model, "limit": limit, "failed": json.dumps(failed)}
    return tx.column(sql.WITHOUT_VECTOR, {**sql.parameters(order.chosen), **asked})


def _count_missing(tx: ReadTx, order: RepairOrder, model: str | None) -> int:
    return int(tx.value(sql.COUNT_WITHOUT_VECTOR, {**sql.parameters(order.chosen), "model": model}))


def _batch(work: RepairWork, embedder: Embedder, ids: list[str], ends_at: float) -> list[str]:
    """Embed memories one by one; return those that the provider rejects. Raises Refused if it does not answer."""
    failed: list[str] = []
    refused, before = 0, work.affected
    for memory_id in ids:
        work.check()
        if time.monotonic() > ends_at:
            break
        gap = work.db.read(embeddings.gap, memory_id, model=embedder.model)
        if gap is None:
            continue
        pieces = embeddings.split_passages(gap.content)
        try:
            made = embedded(embedder, pieces)
        except ProviderDown as error:
            if work.affected == before:
                raise _without_vectors(len(ids), error.message) from error
            return failed
        except ProviderFailed:
            made = []
        if not made or any(vectors.dimensions(one) != embedder.dimensions for one in made):
            failed.append(memory_id)
            refused += not made
            continue
        pairs = list(zip(pieces, made, strict=True))
        work.step(partial(_store, gap=gap, pairs=pairs, model=embedder.model))
    if refused == len(ids):
        raise _without_vectors(len(ids), "it rejects every text")
    return failed


def _store(tx: WriteTx, *, gap: Gap, pairs: list[tuple[str, bytes]], model: str) -> int:
    current = embeddings.gap(tx, gap.memory_id, model=model)
    if current is None or current.content_hash != gap.content_hash:
        return 0
    embeddings.replace(tx, gap.memory_id, gap.content_hash, pairs, model, clock.now())
    return 1


def _without_vectors(asked: int, why: str) -> RepairRefused:
    message = f"embedding provider returned no vectors for {count(asked, 'memory')} ({why})"
    return RepairRefused(RefusalReason.UNAVAILABLE, message)


def _width(tx: ReadTx, order: RepairOrder) -> int | None:
    """Return the index's dimensions: of the newest vectors of the configured size, else the most frequent."""
    widths = tx.column(sql.VECTOR_WIDTHS)
    wanted = order.settings.embedding.dimensions
    if wanted in widths:
        return wanted
    found = Counter(widths).most_common(1)
    return found[0][0] if found else vectors.indexed_dimensions(tx)


def _is_broken(tx: ReadTx, width: int) -> bool:
    vector = tx.value(sql.VECTOR_OF_WIDTH, (width,))
    if vector is None or vectors.indexed_dimensions(tx) != width:
        return False
    try:
        vectors.knn(tx, vector, 1)
    except sqlite.DatabaseError:
        return True
    return False


def _drop(tx: WriteTx) -> int:
    tx.run("DROP TABLE IF EXISTS vec_embeddings")
    return 0


def _walk(
    work: RepairWork, part: Callable[[WriteTx, Place], tuple[Place, int]], *, first: Place
) -> int:
    """Repeat a part from where it stopped; return the number of changed rows."""
    place = reached = first
    changed = 0

    def step(tx: WriteTx) -> int:  # may run twice, so it keeps `place`
        nonlocal reached
        reached, count = part(tx, place)
        return count

    while count := work.step(step):
        changed, place = changed + count, reached
    return changed


def _clean_some(tx: WriteTx, after: str, *, chosen: RowChoice) -> tuple[str, int]:
    asked = {**sql.parameters(chosen), "after": after, "limit": STEP}
    found = tx.all(sql.ORPHANED_VECTORS, asked)
    for row in found:
        embeddings.remove(tx, row["id"])
    return (found[-1]["id"] if found else after), sum(row["vectors"] for row in found)


def _remove_stray(tx: WriteTx, after: int) -> tuple[int, int]:
    found = tx.all(sql.STRAY_INDEX_ROWS, (after, STEP))
    vectors.delete(tx, [row["id"] for row in found])
    return (found[-1]["place"] if found else after), len(found)


def _insert_lost(tx: WriteTx, after: int, *, width: int) -> tuple[int, int]:
    found = tx.all(sql.UNINDEXED_VECTORS, (after, width, STEP))
    vectors.insert(tx, [(row["id"], row["vector"]) for row in found])
    return (found[-1]["seq"] if found else after), len(found)
