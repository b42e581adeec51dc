"""Recompute an agent's communities on request (KG-17, KG-18)."""

from functools import partial

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.graph import communities
from signet.domain.repair.models import Done, Order
from signet.domain.repair.work import Work
from signet.wire.knowledge import Communities


def preview(tx: ReadTx, order: Order) -> Done:
    """Return whether there is anything to recompute; computing is too slow for a preview."""
    agent_id = _agent(order)
    graph, known = communities.snapshot(tx, agent_id), _overview(tx, agent_id)
    count = len(graph.entities) if graph.is_new else 0
    message = f"would regroup {count} entities" if count else "the groups are up to date"
    details = {"entities": len(graph.entities), "dependencies": len(graph.edges)}
    details["communities"] = known["count"]
    return Done(affected=count, message=f"dry run: {message}", details=details)


def cluster(work: Work) -> Done:
    """Recompute an agent's communities, unless its graph is unchanged."""
    agent_id = _agent(work.order)
    made = communities.compute(work.db.read(communities.snapshot, agent_id), agent_id)
    if made is not None:
        work.check()
        work.write(partial(communities.replace, made=made, now=clock.now()))
    found = work.db.read(_overview, agent_id)
    members = [
        {key: row[key] for key in ("id", "name", "cohesion")} | {"count": row["member_count"]}
        for row in found["items"]
    ]
    fields = {
        "communities": found["count"],
        "modularity": found["modularity"],
        "quality": found["quality"],
        "members": members,
    }
    message = f"found {len(members)} communities; modularity {found['modularity']:.2f}"
    return Done(affected=len(members), message=message, details=fields, extra=fields)


def _agent(order: Order) -> str:
    return str(order.options["agentId"])


def _overview(tx: ReadTx, agent_id: str) -> Communities:
    return communities.overview(tx, reader=agents.reader(tx, agent_id))
