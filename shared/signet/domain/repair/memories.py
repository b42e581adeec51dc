"""Repair memories without links, stubs or hints, and forget untrusted unused ones."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from signet import clock
from signet.db import ReadTx, Row, WriteTx, runtime_settings
from signet.domain.auth import caller
from signet.domain.graph import link, unclassified
from signet.domain.memory import derived, forget, hints
from signet.domain.memory.followers import Kind
from signet.domain.memory.models import Along
from signet.domain.repair import choice, rows
from signet.domain.repair.models import Done, Order, Reason, Refused
from signet.domain.repair.sql import memories as sql
from signet.domain.repair.work import Work

SHOWN_CHARS = 120
#: Memories linked per transaction.
STEP = 50

#: Position of the linker: many texts name nothing, and would otherwise be read again and again.
PLACE = "repair:relink"

#: Maximum confidence of untrusted memories, and the time without use.
MOST_CONFIDENCE = 0.3
UNUSED_DAYS = 90


def _shown(row: Row) -> dict[str, object]:
    return {"id": row["id"], "content": " ".join(row["shown"].split())[:SHOWN_CHARS]}


_unfiled = rows.chosen(sql.UNFILED)
_without_hints = rows.chosen(sql.WITHOUT_HINTS)
preview_structure = rows.previewing(_unfiled, "queue {} facts for classification", _shown)
_left = rows.chosen(sql.LEFT)
preview_left = rows.previewing(_left, "forget {} facts of forgotten memories", _shown)
preview_hints = rows.previewing(_without_hints, "queue hints for {} memories", _shown)


def preview_relink(tx: ReadTx, order: Order) -> Done:
    """Return the memories that the linker would read."""
    after = runtime_settings.get_number(tx, PLACE)
    asked = {**choice.parameters(order.chosen), "after": after}
    found = tx.all(sql.SOME_UNLINKED, {**asked, "limit": order.number("batchSize")})
    if not found and after:
        asked["after"] = 0
        found = tx.all(sql.SOME_UNLINKED, {**asked, "limit": order.number("batchSize")})
    remaining = tx.value(sql.COUNT_UNLINKED, asked) - len(found)
    message = f"dry run: would look for entities in {len(found)} memories"
    details = {"remaining": remaining, **rows.sample(found, _shown)}
    return Done(affected=len(found), message=message, details=details)


def relink(work: Work) -> Done:
    """Link memories to the entities they name, continuing after the last run.

    At the end of the store the next run starts over. `affected` counts memories with a new link.
    """
    looked, most = 0, work.order.number("batchSize")
    after = work.db.read(runtime_settings.get_number, PLACE)
    asked = choice.parameters(work.order.chosen)
    if after and not work.db.read(ReadTx.value, sql.COUNT_UNLINKED, {**asked, "after": after}):
        after = 0
    while looked < most:
        limit = min(STEP, most - looked)
        found = work.db.read(
            ReadTx.all, sql.SOME_UNLINKED, {**asked, "after": after, "limit": limit}
        )
        if not found:
            break
        work.step(partial(_link, found=found))
        looked, after = looked + len(found), found[-1]["seq"]
    remaining = work.db.read(ReadTx.value, sql.COUNT_UNLINKED, {**asked, "after": after})
    message = f"looked at {looked} memories and linked {work.affected}"
    return Done(
        affected=work.affected, message=message, details={"looked": looked, "remaining": remaining}
    )


def structure(tx: WriteTx, order: Order) -> Done:
    """Add a stub and a job for unfiled facts about known entities."""
    if not order.settings.pipeline.structural.enabled:
        raise Refused(Reason.DISABLED, "structural memory is disabled")
    found = _unfiled(tx, order)
    for row in found:
        unclassified.add_to(
            tx,
            row["entity_id"],
            row["id"],
            row["content"],
            agent_id=row["agent_id"],
            attempts=order.settings.pipeline.worker.max_retries,
            now=order.now,
        )
    message = f"queued {len(found)} facts for classification"
    return Done(affected=len(found), message=message, details=rows.sample(found, _shown))


def backfill_hints(tx: WriteTx, order: Order) -> Done:
    """Queue hints for memories without any, newest first."""
    found = _without_hints(tx, order)
    for row in found:
        hints.want(
            tx,
            [row["id"]],
            agent_id=row["agent_id"],
            attempts=order.settings.pipeline.worker.max_retries,
            now=order.now,
        )
    return Done(affected=len(found), message=f"queued hints for {len(found)} memories")


def follow_forgotten(tx: WriteTx, order: Order) -> Done:
    """Forget facts whose sources are all forgotten, as forgetting them would do now (RP-17)."""
    found = _left(tx, order)
    for row in found:
        change = derived.Change(
            kind=Kind.FORGOTTEN,
            actor=order.actor,
            reason="what it was read from is forgotten",
            at=order.now,
            is_asked=bool(row["is_asked"]),
        )
        along = Along(goes=((row["id"], row["content"]),))
        derived.withdraw(tx, row["root_id"], along, change)
    message = f"forgot {len(found)} facts of forgotten memories"
    return Done(affected=len(found), message=message, details=rows.sample(found, _shown))


def count_left(tx: ReadTx) -> int:
    """Return the number of facts whose sources are all forgotten."""
    return int(tx.value(sql.COUNT_LEFT))


def dead(
    tx: ReadTx, *, limit: int, confidence: float, unused: timedelta, order: Order
) -> tuple[list[Row], int]:
    """Return unused memories of low confidence, the lowest first, and their number.

    Excludes memories of owners hidden from the caller.
    """
    asked = {
        **choice.parameters(order.chosen),
        "confidence": confidence,
        "before": clock.to_text(order.now - unused),
        "hidden": caller.current().hidden,
    }
    return tx.all(sql.SOME_DEAD, {**asked, "limit": limit}), int(tx.value(sql.COUNT_DEAD, asked))


def preview_forget(tx: ReadTx, order: Order) -> Done:
    """Return which of the named memories would be forgotten."""
    found, results = _dead_named(tx, order)
    message = f"dry run: would forget {len(found)} memories"
    return Done(affected=len(found), message=message, extra={"results": results})


def forget_dead(tx: WriteTx, order: Order) -> Done:
    """Forget those of the named memories that are untrusted and unused; skip the others."""
    found, results = _dead_named(tx, order)
    reason = str(order.options["reason"])
    for row in found:
        forget.forget(tx, row["id"], actor=order.actor, reason=reason, now=order.now)
    message = f"forgot {len(found)} memories"
    return Done(affected=len(found), message=message, extra={"results": results})


def _dead_named(tx: ReadTx, order: Order) -> tuple[list[Row], list[dict[str, str]]]:
    ids = order.chosen.ids or ()
    unused = timedelta(days=UNUSED_DAYS)
    there, _ = dead(tx, limit=len(ids), confidence=MOST_CONFIDENCE, unused=unused, order=order)
    known = {row["id"] for row in there}
    results = [{"id": one, "status": "deleted" if one in known else "skipped"} for one in ids]
    return there, results


def _link(tx: WriteTx, *, found: Sequence[Row]) -> int:
    now = clock.now()
    linked = 0
    for row in found:
        linked += link.apply(tx, row["id"], row["content"], row["agent_id"], now) > 0
    runtime_settings.put(tx, PLACE, found[-1]["seq"])
    return linked
