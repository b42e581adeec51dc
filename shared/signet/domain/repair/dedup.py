"""Merge duplicate memories: the keeper gets the tags and links of the others, which are forgotten.

Equal ones have one content hash; with `semanticEnabled` also those whose vectors nearly coincide and whose words have
no different meaning: the vectors of "Alice reports to Bob" and "Bob reports to Alice" nearly coincide. Only within
one owner, scope, visibility and, for near ones, type; never pinned, edited or superseded ones.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from signet import clock
from signet.db import ReadTx, Row, WriteTx, vectors
from signet.domain.extraction import contradiction
from signet.domain.memory import merge
from signet.domain.memory.models import tags_of
from signet.domain.repair import choice
from signet.domain.repair.models import Done, Order
from signet.domain.repair.sql import dedup as sql
from signet.domain.repair.work import Work

#: Number of the oldest embedded memories to compare, and neighbours of each (RP-14).
COMPARED = 500
NEIGHBOURS = 5
SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The memory to keep, and those to forget."""

    keeper: str
    losers: tuple[str, ...]


def preview(tx: ReadTx, order: Order) -> Done:
    """Return the groups that would be merged."""
    plans = _exact(tx, order)
    room = order.number("batchSize") - len(plans)
    if order.is_on("semanticEnabled") and room > 0:
        taken = {one for plan in plans for one in (plan.keeper, *plan.losers)}
        plans += _near(tx, order, taken, room)
    count = sum(len(plan.losers) for plan in plans)
    sample = [{"keep": plan.keeper, "forget": list(plan.losers)} for plan in plans[:SHOWN]]
    message = f"dry run: would deduplicate {count} memory/memories across {len(plans)} cluster(s)"
    details = {"sample": sample}
    return Done(affected=count, message=message, details=details, extra={"clusters": len(plans)})


def deduplicate(work: Work) -> Done:
    """Merge equal memories, then near ones; a second run finds nothing."""
    order = work.order
    most = order.number("batchSize")
    plans = work.db.read(_exact, order)[: most - work.steps]
    for plan in plans:
        work.step(partial(_merge, plan=plan, order=order))
    room = most - work.steps
    if order.is_on("semanticEnabled") and room > 0:
        for plan in work.db.read(_near, order, set(), room):
            work.step(partial(_merge, plan=plan, order=order))
    message = f"deduplicated {work.affected} memory/memories across {work.steps} cluster(s)"
    return Done(affected=work.affected, message=message, extra={"clusters": work.steps})


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


def _exact(tx: ReadTx, order: Order) -> list[Plan]:
    asked = {**choice.parameters(order.chosen), "limit": order.number("batchSize")}
    listed = [json.dumps(row["ids"].split("\n")) for row in tx.all(sql.CLUSTERS, asked)]
    return [_plan(tx.all(sql.ROWS, (ids,))) for ids in listed]


def _near(tx: ReadTx, order: Order, taken: set[str], room: int) -> list[Plan]:
    """Return groups of nearly equal memories around the oldest ones."""
    least = float(order.options["semanticThreshold"])
    asked = {**choice.parameters(order.chosen), "limit": COMPARED}
    plans: list[Plan] = []
    for one in tx.all(sql.SINGLE, asked):
        if len(plans) == room:
            break
        if one["id"] in taken:
            continue
        group = [one["id"], *_neighbours(tx, one["id"], one["vector"], least, taken)]
        rows = _mergeable(tx.all(sql.ROWS, (json.dumps(group),)), one["id"])
        if len(rows) > 1:
            plans.append(_plan(rows))
            taken |= {row["id"] for row in rows}
    return plans


def _neighbours(
    tx: ReadTx, memory_id: str, vector: bytes, least: float, taken: set[str]
) -> list[str]:
    found = []
    for embedding_id, similarity in vectors.knn(tx, vector, NEIGHBOURS + 1):
        owner = tx.value(sql.OWNER, (embedding_id,)) if similarity >= least else None
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


def _plan(rows: Sequence[Row]) -> Plan:
    keeper = max(rows, key=weight)["id"]
    return Plan(keeper=keeper, losers=tuple(row["id"] for row in rows if row["id"] != keeper))


def _merge(tx: WriteTx, *, plan: Plan, order: Order) -> int:
    """Forget the losers in favour of the keeper; 0 if any of them has changed meanwhile."""
    rows = {row["id"]: row for row in tx.all(sql.ROWS, (json.dumps([plan.keeper, *plan.losers]),))}
    kept = [row for row in rows.values() if row["pinned"] or row["manual_override"]]
    if len(rows) != 1 + len(plan.losers) or kept:
        return 0
    tags = _union([rows[plan.keeper], *(rows[one] for one in plan.losers)])
    merge.merge(tx, plan.keeper, plan.losers, tags=tags, actor=order.actor, now=clock.now())
    return len(plan.losers)


def _union(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for row in rows for tag in tags_of(row["tags"])))
