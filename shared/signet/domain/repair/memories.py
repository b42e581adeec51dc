"""Repair memories: links, stubs, hints, forgotten sources, unused memories and duplicates.

The keeper of duplicates gets the tags and links of the others, which are forgotten. Equal ones have one content hash;
with `semanticEnabled` also those whose vectors nearly coincide and whose words have no different meaning: the vectors
of "Alice reports to Bob" and "Bob reports to Alice" nearly coincide. Only within one owner, scope, visibility and, for
near ones, type; never pinned, edited or superseded ones.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from signet import clock
from signet.db import ReadTx, Row, WriteTx, runtime_settings, vectors
from signet.domain.auth import caller
from signet.domain.extraction import contradiction
from signet.domain.graph import link, unclassified
from signet.domain.memory import derived, forget, marks
from signet.domain.memory.derived import ChangeKind
from signet.domain.memory.models import Along, tags_of
from signet.domain.repair import sql, steps
from signet.domain.repair.models import RefusalReason, RepairDone, RepairOrder, RepairRefused
from signet.domain.repair.steps import RepairWork
from signet.text.plural import count

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


_unfiled = steps.selecting(sql.UNFILED)
_without_hints = steps.selecting(sql.WITHOUT_HINTS)
preview_structure = steps.previewing(_unfiled, "queue {} for classification", "fact", _shown)
_of_forgotten = steps.selecting(sql.FACTS_OF_FORGOTTEN)
preview_follow = steps.previewing(_of_forgotten, "forget {}", "fact of forgotten memories", _shown)
preview_hints = steps.previewing(_without_hints, "queue hints for {}", "memory", _shown)


def preview_relink(tx: ReadTx, order: RepairOrder) -> RepairDone:
    after = runtime_settings.get_number(tx, PLACE)
    asked = {**sql.parameters(order.chosen), "after": after}
    limit = order.number("batchSize")
    found = tx.all(sql.SOME_UNLINKED, {**asked, "limit": limit})
    if not found and after:
        asked["after"] = 0
        found = tx.all(sql.SOME_UNLINKED, {**asked, "limit": limit})
    remaining = tx.value(sql.COUNT_UNLINKED, asked) - len(found)
    message = f"dry run: would look for entities in {count(len(found), 'memory')}"
    details = {"remaining": remaining, **steps.sample(found, _shown)}
    return RepairDone(len(found), message, details)


def relink(work: RepairWork) -> RepairDone:
    """Link memories to the entities they name, continuing after the last run.

    At the end of the store the next run starts over. `affected` counts memories with a new link.
    """
    looked, most = 0, work.order.number("batchSize")
    after = work.db.read(runtime_settings.get_number, PLACE)
    asked = sql.parameters(work.order.chosen)
    if after and not work.db.read(ReadTx.value, sql.COUNT_UNLINKED, {**asked, "after": after}):
        after = 0
    while looked < most:
        limit = min(STEP, most - looked)
        some = {**asked, "after": after, "limit": limit}
        found = work.db.read(ReadTx.all, sql.SOME_UNLINKED, some)
        if not found:
            break
        work.step(partial(_link_some, found=found))
        looked, after = looked + len(found), found[-1]["seq"]
    remaining = work.db.read(ReadTx.value, sql.COUNT_UNLINKED, {**asked, "after": after})
    message = f"looked at {count(looked, 'memory')} and linked {work.affected}"
    return RepairDone(work.affected, message, {"looked": looked, "remaining": remaining})


def structure(tx: WriteTx, order: RepairOrder) -> RepairDone:
    """Add an unclassified attribute for each unfiled fact about a known entity, and a job that files it."""
    if not order.settings.pipeline.structural.enabled:
        raise RepairRefused(RefusalReason.DISABLED, "structural memory is disabled")
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
    message = f"queued {count(len(found), 'fact')} for classification"
    return RepairDone(len(found), message, steps.sample(found, _shown))


def backfill_hints(tx: WriteTx, order: RepairOrder) -> RepairDone:
    found = _without_hints(tx, order)
    for row in found:
        marks.want_hints(
            tx,
            [row["id"]],
            agent_id=row["agent_id"],
            attempts=order.settings.pipeline.worker.max_retries,
            now=order.now,
        )
    return RepairDone(len(found), f"queued hints for {count(len(found), 'memory')}")


def follow_forgotten(tx: WriteTx, order: RepairOrder) -> RepairDone:
    """Forget facts whose sources are all forgotten, as forgetting them would do now (RP-17)."""
    found = _of_forgotten(tx, order)
    for row in found:
        change = derived.Change(
            kind=ChangeKind.FORGOTTEN,
            actor=order.actor,
            reason="what it was read from is forgotten",
            at=order.now,
            is_asked=bool(row["is_asked"]),
        )
        along = Along(goes=((row["id"], row["content"]),))
        derived.withdraw(tx, row["root_id"], along, change)
    message = f"forgot {count(len(found), 'fact of forgotten memories')}"
    return RepairDone(len(found), message, steps.sample(found, _shown))


def count_left(tx: ReadTx) -> int:
    return int(tx.value(sql.COUNT_FACTS_OF_FORGOTTEN))


def dead(
    tx: ReadTx, *, limit: int, confidence: float, unused: timedelta, order: RepairOrder
) -> tuple[list[Row], int]:
    """Return unused memories of low confidence, the lowest first, and their number.

    Excludes memories of owners hidden from the caller.
    """
    asked = {
        **sql.parameters(order.chosen),
        "confidence": confidence,
        "before": clock.to_text(order.now - unused),
        "hidden": caller.current().hidden,
    }
    found = tx.all(sql.DEAD_MEMORIES, {**asked, "limit": limit})
    return found, int(tx.value(sql.COUNT_DEAD_MEMORIES, asked))


def preview_forget(tx: ReadTx, order: RepairOrder) -> RepairDone:
    found, results = _dead_named(tx, order)
    message = f"dry run: would forget {count(len(found), 'memory')}"
    return RepairDone(len(found), message, extra={"results": results})


def forget_dead(tx: WriteTx, order: RepairOrder) -> RepairDone:
    """Forget those of the named memories that are untrusted and unused; skip the others."""
    found, results = _dead_named(tx, order)
    reason = str(order.options["reason"])
    for row in found:
        forget.forget(tx, row["id"], actor=order.actor, reason=reason, now=order.now)
    message = f"forgot {count(len(found), 'memory')}"
    return RepairDone(len(found), message, extra={"results": results})


def _dead_named(tx: ReadTx, order: RepairOrder) -> tuple[list[Row], list[dict[str, str]]]:
    ids = order.chosen.ids or ()
    unused = timedelta(days=UNUSED_DAYS)
    there, _ = dead(tx, limit=len(ids), confidence=MOST_CONFIDENCE, unused=unused, order=order)
    known = {row["id"] for row in there}
    results = [{"id": one, "status": "deleted" if one in known else "skipped"} for one in ids]
    return there, results


def _link_some(tx: WriteTx, *, found: Sequence[Row]) -> int:
    now = clock.now()
    linked = 0
    for row in found:
        linked += link.apply(tx, row["id"], row["content"], row["agent_id"], now) > 0
    runtime_settings.put(tx, PLACE, found[-1]["seq"])
    return linked


#: Number of the oldest embedded memories to compare, and neighbours of each (RP-14).
MOST_COMPARED = 500
NEIGHBOURS = 5
SHOWN_GROUPS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePlan:
    """The memory to keep, and those to forget."""

    keeper: str
    losers: tuple[str, ...]


def preview_duplicates(tx: ReadTx, order: RepairOrder) -> RepairDone:
    plans = _equal(tx, order)
    room = order.number("batchSize") - len(plans)
    if order.is_on("semanticEnabled") and room > 0:
        taken = {one for plan in plans for one in (plan.keeper, *plan.losers)}
        plans += _similar(tx, order, taken, room)
    losers = sum(len(plan.losers) for plan in plans)
    sample = [{"keep": plan.keeper, "forget": list(plan.losers)} for plan in plans[:SHOWN_GROUPS]]
    message = f"dry run: would merge {_merged(losers, len(plans))}"
    details = {"sample": sample}
    return RepairDone(losers, message, details, extra={"clusters": len(plans)})


def deduplicate(work: RepairWork) -> RepairDone:
    """Merge equal memories, then near ones; a second run finds nothing."""
    order = work.order
    most = order.number("batchSize")
    plans = work.db.read(_equal, order)[: most - work.steps]
    for plan in plans:
        work.step(partial(_merge_group, plan=plan, order=order))
    room = most - work.steps
    if order.is_on("semanticEnabled") and room > 0:
        for plan in work.db.read(_similar, order, set(), room):
            work.step(partial(_merge_group, plan=plan, order=order))
    message = f"merged {_merged(work.affected, work.steps)}"
    return RepairDone(work.affected, message, extra={"clusters": work.steps})


def _merged(duplicates: int, groups: int) -> str:
    return f"{count(duplicates, 'duplicate')} of {count(groups, 'memory')}"


def weight(row: Row) -> float:
    """Return a memory's sort key for keeping: importance, then use, edits and age (RP-14)."""
    updated = clock.parsed(row["updated_at"])
    updated_ms = updated.timestamp() * 1000 if updated else 0.0
    return float(
        (row["importance"] or 0.0) * 3
        + min(row["access_count"] or 0, 50) / 50
        + min(row["update_count"] or 0, 20) / 20
        + updated_ms / 1e15
    )


def _equal(tx: ReadTx, order: RepairOrder) -> list[MergePlan]:
    asked = {**sql.parameters(order.chosen), "limit": order.number("batchSize")}
    listed = [json.dumps(row["ids"].split("\n")) for row in tx.all(sql.EQUAL_MEMORIES, asked)]
    return [_merge_plan(tx.all(sql.MEMORIES, (ids,))) for ids in listed]


def _similar(tx: ReadTx, order: RepairOrder, taken: set[str], room: int) -> list[MergePlan]:
    least = float(order.options["semanticThreshold"])
    asked = {**sql.parameters(order.chosen), "limit": MOST_COMPARED}
    plans: list[MergePlan] = []
    for one in tx.all(sql.WITH_VECTOR, asked):
        if len(plans) == room:
            break
        if one["id"] in taken:
            continue
        group = [one["id"], *_neighbours(tx, one["id"], one["vector"], least, taken)]
        rows = _mergeable(tx.all(sql.MEMORIES, (json.dumps(group),)), one["id"])
        if len(rows) > 1:
            plans.append(_merge_plan(rows))
            taken |= {row["id"] for row in rows}
    return plans


def _neighbours(
    tx: ReadTx, memory_id: str, vector: bytes, least: float, taken: set[str]
) -> list[str]:
    found = []
    for embedding_id, similarity in vectors.knn(tx, vector, NEIGHBOURS + 1):
        owner = tx.value(sql.VECTOR_OWNER, (embedding_id,)) if similarity >= least else None
        if owner is not None and owner != memory_id and owner not in taken:
            found.append(str(owner))
    return found[:NEIGHBOURS]


def _mergeable(rows: Sequence[Row], memory_id: str) -> list[Row]:
    """Return the memories that may be merged with one, including itself."""
    mine = next((row for row in rows if row["id"] == memory_id), None)
    if mine is None:
        return []
    of = ("agent_id", "visibility", "scope", "type")
    free = [row for row in rows if not (row["pinned"] or row["manual_override"])]
    return [
        row
        for row in free
        if row["superseded_by"] is None
        and all(row[name] == mine[name] for name in of)
        and (row is mine or not contradiction.differ(row["content"], mine["content"]))
    ]


def _merge_plan(rows: Sequence[Row]) -> MergePlan:
    keeper = max(rows, key=weight)["id"]
    return MergePlan(keeper=keeper, losers=tuple(row["id"] for row in rows if row["id"] != keeper))


def _merge_group(tx: WriteTx, *, plan: MergePlan, order: RepairOrder) -> int:
    """Forget the losers in favour of the keeper; 0 after a change to one of them."""
    rows = {
        row["id"]: row for row in tx.all(sql.MEMORIES, (json.dumps([plan.keeper, *plan.losers]),))
    }
    kept = [row for row in rows.values() if row["pinned"] or row["manual_override"]]
    if len(rows) != 1 + len(plan.losers) or kept:
        return 0
    tags = _all_tags([rows[plan.keeper], *(rows[one] for one in plan.losers)])
    forget.merge(tx, plan.keeper, plan.losers, tags=tags, actor=order.actor, now=clock.now())
    return len(plan.losers)


def _all_tags(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for row in rows for tag in tags_of(row["tags"])))
