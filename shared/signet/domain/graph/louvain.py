"""Communities of nodes that are joined more than chance would have it (Louvain). Pure and deterministic.

Blondel et al., "Fast unfolding of communities in large networks" (2008), resolution 1.0: each node moves to the
neighbouring group that raises the modularity most, until none moves; then the groups are the nodes of a smaller graph.
Nodes are visited in the order given, and ties go to the group that was there first, so that the same graph always
falls into the same groups (KG-15).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

#: A move must be worth more than what is lost in rounding.
EPSILON = 1e-12
#: Bounds that keep a run short.
STRONG = 0.6
MODERATE = 0.3

#: Node to neighbour to weight; each edge stands under both of its ends.
Graph = Sequence[Mapping[int, float]]


class Quality(StrEnum):
    """How clearly a graph falls into groups."""

    STRONG = "strong"
    MODERATE = "moderate"
    FRAGMENTED = "fragmented"


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """The groups of a graph: each a list of nodes in order, groups by their first node."""

    groups: tuple[tuple[int, ...], ...]
    modularity: float


def quality(modularity: float) -> Quality:
    """Return the word for a modularity."""
    if modularity > STRONG:
        return Quality.STRONG
    return Quality.MODERATE if modularity >= MODERATE else Quality.FRAGMENTED


def divide(graph: Graph) -> Division:
    """Return the groups of an undirected graph without self loops; a node without edge is in none (KG-16)."""
    total = sum(sum(edges.values()) for edges in graph)
    if not total:
        return Division(groups=(), modularity=0.0)
    level: list[dict[int, float]] = [dict(edges) for edges in graph]
    loops = [0.0] * len(level)
    group_of = list(range(len(level)))
    while True:
        moved = _settle(level, loops, total)
        numbers = {group: number for number, group in enumerate(dict.fromkeys(moved))}
        if len(numbers) == len(level):
            break
        numbered = [numbers[group] for group in moved]
        group_of = [numbered[group] for group in group_of]
        level, loops = _folded(level, loops, numbered, len(numbers))
    members: dict[int, list[int]] = {}
    for node, group in enumerate(group_of):
        if graph[node]:
            members.setdefault(group, []).append(node)
    return Division(
        groups=tuple(tuple(nodes) for nodes in members.values()),
        modularity=_modularity(graph, group_of, total),
    )


def cohesion(graph: Graph, nodes: Sequence[int]) -> float:
    """Return which share of the possible edges inside a group is there, 0 for fewer than two nodes."""
    if len(nodes) < 2:
        return 0.0
    inside = set(nodes)
    ends = sum(len(inside & graph[node].keys()) for node in nodes)
    return ends / (len(nodes) * (len(nodes) - 1))


def _settle(graph: Graph, loops: Sequence[float], total: float) -> list[int]:
    """Return the group of each node once no node gains by moving; `total` is twice the weight of all edges."""
    group_of = list(range(len(graph)))
    degree = [sum(edges.values()) + loop for edges, loop in zip(graph, loops, strict=True)]
    weight = list(degree)
    is_moving = True
    while is_moving:
        is_moving = False
        for node, edges in enumerate(graph):
            home = group_of[node]
            weight[home] -= degree[node]
            to_group = {home: 0.0}
            for other, strength in edges.items():
                group = group_of[other]
                to_group[group] = to_group.get(group, 0.0) + strength
            share = degree[node] / total
            best, gain = home, to_group[home] - share * weight[home]
            for group, strength in sorted(to_group.items()):
                better = strength - share * weight[group]
                if better > gain + EPSILON:
                    best, gain = group, better
            weight[best] += degree[node]
            if best != home:
                group_of[node] = best
                is_moving = True
    return group_of


def _folded(
    graph: Graph, loops: Sequence[float], group_of: Sequence[int], count: int
) -> tuple[list[dict[int, float]], list[float]]:
    """Return the graph whose nodes are the groups, and the weight inside each of them (both ends counted)."""
    folded: list[dict[int, float]] = [{} for _ in range(count)]
    inside = [0.0] * count
    for node, edges in enumerate(graph):
        group = group_of[node]
        inside[group] += loops[node]
        for other, strength in edges.items():
            target = group_of[other]
            if target == group:
                inside[group] += strength
            else:
                folded[group][target] = folded[group].get(target, 0.0) + strength
    return folded, inside


def _modularity(graph: Graph, group_of: Sequence[int], total: float) -> float:
    inside: dict[int, float] = {}
    weight: dict[int, float] = {}
    for node, edges in enumerate(graph):
        group = group_of[node]
        for other, strength in edges.items():
            weight[group] = weight.get(group, 0.0) + strength
            if group_of[other] == group:
                inside[group] = inside.get(group, 0.0) + strength
    return sum(
        inside.get(group, 0.0) / total - (all_ends / total) ** 2
        for group, all_ends in weight.items()
    )
