"""Memories that something is missing of: links, stubs, hints; and those that nobody trusts or uses any more."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from signet import clock
from signet.db import ReadTx, Row, WriteTx, runtime_settings
from signet.domain.graph import link, unclassified
from signet.domain.memory import forget, hints
from signet.domain.repair import choice
from signet.domain.repair.models import Done, Order, Reason, Refused
from signet.domain.repair.sql import memories as sql
from signet.domain.repair.work import Work

SHOWN = 20
SHOWN_CHARS = 120
#: Memories that are linked in one transaction.
STEP = 50

#: Up to which memory the linker has looked: many texts name nothing, and would be looked at again and again.
PLACE = "repair:relink"

#: Memories that nobody trusts or uses: at most so sure, and unused for so long.
MOST_CONFIDENCE = 0.3
UNUSED_DAYS = 90


def preview_relink(tx: ReadTx, order: Order) -> Done:
    """Show which memories the linker would look at."""
    after = runtime_settings.get_number(tx, PLACE)
    asked = {**choice.parameters(order.chosen), "after": after}
    rows = tx.all(sql.SOME_UNLINKED, {**asked, "limit": order.number("batchSize")})
    if not rows and after:
        asked["after"] = 0
        rows = tx.all(sql.SOME_UNLINKED, {**asked, "limit": order.number("batchSize")})
    message = f"dry run: would look for entities in {len(rows)} memories"
    details = {
        "remaining": tx.value(sql.COUNT_UNLINKED, asked) - len(rows),
        "sample": _sample(rows),
    }
    return Done(affected=len(rows), message=message, details=details)


def relink(work: Work) -> Done:
    """Tie memories without links to what they name, going on where the last run stopped.

    At the end of the store the next run begins anew. `affected` counts memories that now have a link.
    """
    looked, most = 0, work.order.number("batchSize")
    after = work.db.read(runtime_settings.get_number, PLACE)
    asked = choice.parameters(work.order.chosen)
    if after and not work.db.read(ReadTx.value, sql.COUNT_UNLINKED, {**asked, "after": after}):
        after = 0
    while looked < most:
        limit = min(STEP, most - looked)
        rows = work.db.read(
            ReadTx.all, sql.SOME_UNLINKED, {**asked, "after": after, "limit": limit}
        )
        if not rows:
            break
        work.step(partial(_link, rows=rows))
        looked, after = looked + len(rows), rows[-1]["seq"]
    remaining = work.db.read(ReadTx.value, sql.COUNT_UNLINKED, {**asked, "after": after})
    message = f"looked at {looked} memories and linked {work.affected}"
    return Done(
        affected=work.affected, message=message, details={"looked": looked, "remaining": remaining}
    )


def preview_structure(tx: ReadTx, order: Order) -> Done:
    """Show which facts would be filed."""
    rows = _unfiled(tx, order)
    message = f"dry run: would queue {len(rows)} facts for classification"
    return Done(affected=len(rows), message=message, details={"sample": _sample(rows)})


def structure(tx: WriteTx, order: Order) -> Done:
    """Leave a stub and a job for facts that tell of a known entity and are filed nowhere."""
    if not order.settings.pipeline.structural.enabled:
        raise Refused(Reason.DISABLED, "structural memory is disabled")
    rows = _unfiled(tx, order)
    for row in rows:
        unclassified.add_to(
            tx,
            row["entity_id"],
            row["id"],
            row["content"],
            agent_id=row["agent_id"],
            attempts=order.settings.pipeline.worker.max_retries,
            now=order.now,
        )
    message = f"queued {len(rows)} facts for classification"
    return Done(affected=len(rows), message=message, details={"sample": _sample(rows)})


def preview_hints(tx: ReadTx, order: Order) -> Done:
    """Show which memories would get hints."""
    rows = _without_hints(tx, order)
    message = f"dry run: would queue hints for {len(rows)} memories"
    return Done(affected=len(rows), message=message, details={"sample": _sample(rows)})


def backfill_hints(tx: WriteTx, order: Order) -> Done:
    """Queue the writing of hints for memories that have none, newest first."""
    rows = _without_hints(tx, order)
    for row in rows:
        hints.want(
            tx,
            [row["id"]],
            agent_id=row["agent_id"],
            attempts=order.settings.pipeline.worker.max_retries,
            now=order.now,
        )
    return Done(affected=len(rows), message=f"queued hints for {len(rows)} memories")


def dead(
    tx: ReadTx, *, limit: int, confidence: float, unused: timedelta, order: Order
) -> tuple[list[Row], int]:
    """Return memories that nobody trusts or uses, the least sure first, and how many there are."""
    asked = {
        **choice.parameters(order.chosen),
        "confidence": confidence,
        "before": clock.to_text(order.now - unused),
    }
    return tx.all(sql.SOME_DEAD, {**asked, "limit": limit}), int(tx.value(sql.COUNT_DEAD, asked))


def preview_forget(tx: ReadTx, order: Order) -> Done:
    """Show which of the named memories would be forgotten."""
    rows, results = _dead_named(tx, order)
    message = f"dry run: would forget {len(rows)} memories"
    return Done(affected=len(rows), message=message, extra={"results": results})


def forget_dead(tx: WriteTx, order: Order) -> Done:
    """Forget those of the named memories that nobody trusts or uses; the others are passed over."""
    rows, results = _dead_named(tx, order)
    reason = str(order.options["reason"])
    for row in rows:
        forget.forget(tx, row["id"], actor=order.actor, reason=reason, now=order.now)
    message = f"forgot {len(rows)} memories"
    return Done(affected=len(rows), message=message, extra={"results": results})


def _dead_named(tx: ReadTx, order: Order) -> tuple[list[Row], list[dict[str, str]]]:
    ids = order.chosen.ids or ()
    unused = timedelta(days=UNUSED_DAYS)
    rows, _ = dead(tx, limit=len(ids), confidence=MOST_CONFIDENCE, unused=unused, order=order)
    found = {row["id"] for row in rows}
    results = [{"id": one, "status": "deleted" if one in found else "skipped"} for one in ids]
    return rows, results


def _link(tx: WriteTx, *, rows: Sequence[Row]) -> int:
    now = clock.now()
    linked = 0
    for row in rows:
        linked += link.apply(tx, row["id"], row["content"], row["agent_id"], now) > 0
    runtime_settings.put(tx, PLACE, rows[-1]["seq"])
    return linked


def _unfiled(tx: ReadTx, order: Order) -> list[Row]:
    limit = order.number("batchSize")
    return tx.all(sql.UNFILED, {**choice.parameters(order.chosen), "limit": limit})


def _without_hints(tx: ReadTx, order: Order) -> list[Row]:
    limit = order.number("batchSize")
    return tx.all(sql.WITHOUT_HINTS, {**choice.parameters(order.chosen), "limit": limit})


def _sample(rows: Sequence[Row]) -> list[dict[str, object]]:
    return [
        {"id": row["id"], "content": " ".join(row["shown"].split())[:SHOWN_CHARS]}
        for row in rows[:SHOWN]
    ]
