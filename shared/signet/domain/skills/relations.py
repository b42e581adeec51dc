"""What skills have to do with each other: `requires` from what they declare, `related_to` from what they share."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.domain.graph import skill_nodes
from signet.domain.graph.models import Dependency
from signet.domain.skills import sql
from signet.domain.skills.models import Node
from signet.ids import DEFAULT_AGENT

REQUIRES, RELATED = "requires", "related_to"
#: What must be shared to be related: one trigger, or so many tags.
SHARED_TAGS = 2
#: Skills that one is related to at most, the nearest ones.
MOST = 8
#: What is shared by more skills than this says nothing about any of them.
COMMON = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A skill that has to do with another: `relation`, and whether the other one is its `target` or `source`."""

    node: Node
    relation: str
    direction: str
    strength: float
    reason: str


def between(nodes: Sequence[Node]) -> list[Dependency]:
    """Return the edges between skills: each pair at most once as related, `requires` one way. Pure."""
    found = list(_required(nodes))
    joined = {frozenset(edge[:2]) for edge in found}
    counts: defaultdict[str, int] = defaultdict(int)
    shared = sorted(_sharing(nodes), key=lambda edge: (-edge[3], edge[:2]))
    for edge in shared:
        ends = frozenset(edge[:2])
        if ends not in joined and all(counts[end] < MOST for end in ends):
            found.append(edge)
            for end in ends:
                counts[end] += 1
    return found


def follow(tx: WriteTx, agent_id: str, *, now: datetime) -> None:
    """Make the edges between the agent's skills what their nodes say."""
    wanted = set(between(sql.nodes(tx, agent_id)))
    skill_nodes.join(tx, wanted, agent_id=agent_id, now=now)


def of(tx: ReadTx, name: str, *, agent_id: str = DEFAULT_AGENT) -> list[Related] | None:
    """Return the skills that have to do with one, the nearest first; None when that is no node."""
    node = next((node for node in sql.nodes(tx, agent_id) if node.name == name), None)
    if node is None:
        return None
    mine = [edge for edge in skill_nodes.edges_between(tx, agent_id) if node.entity_id in edge[:2]]
    others = sql.by_ids(tx, [end for edge in mine for end in edge[:2]])
    found = []
    for source, target, relation, strength, reason in mine:
        is_source = source == node.entity_id
        other = others.get(target if is_source else source)
        if other is not None:
            found.append(
                Related(
                    node=other,
                    relation=relation,
                    direction="out" if is_source else "in",
                    strength=strength,
                    reason=reason,
                )
            )
    return sorted(found, key=lambda one: (one.relation != REQUIRES, -one.strength, one.node.name))


def _required(nodes: Sequence[Node]) -> Iterator[Dependency]:
    by_name = {name: node for node in nodes for name in (node.title, node.name)}
    for node in nodes:
        wanted = {by_name[name].entity_id: name for name in node.requires if name in by_name}
        wanted.pop(node.entity_id, None)
        for target, name in wanted.items():
            yield Dependency(
                node.entity_id,
                target,
                REQUIRES,
                1.0,
                f"{node.name} declares that it needs {name}",
            )


def _sharing(nodes: Sequence[Node]) -> Iterator[Dependency]:
    """Yield an edge for each pair that shares enough; as strong as the smaller of the two is shared."""
    words = {n.entity_id: {*map(str.casefold, (*n.triggers, *n.tags))} for n in nodes}
    triggers = {n.entity_id: {*map(str.casefold, n.triggers)} for n in nodes}
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for entity_id, held in words.items():
        for word in held:
            holders[word].append(entity_id)
    pairs = {
        (one, other)
        for held_by in holders.values()
        if len(held_by) <= COMMON
        for one in held_by
        for other in held_by
        if one < other
    }
    for one, other in pairs:
        both = words[one] & words[other]
        if len(both) >= SHARED_TAGS or triggers[one] & triggers[other]:
            strength = len(both) / min(len(words[one]), len(words[other]))
            reason = f"both: {', '.join(sorted(both))}"
            yield Dependency(one, other, RELATED, round(strength, 4), reason)
