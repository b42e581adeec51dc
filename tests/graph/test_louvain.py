"""How a graph falls into groups."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.graph import communities
from signet.domain.graph.communities import Division, Quality

Edges = list[tuple[int, int, float]]


def graph(nodes: int, edges: Edges) -> list[dict[int, float]]:
    found: list[dict[int, float]] = [{} for _ in range(nodes)]
    for one, other, weight in edges:
        found[one][other] = found[other][one] = weight
    return found


def test_two_triangles_joined_by_a_weak_edge_are_two_groups() -> None:
    edges = [
        (0, 1, 1.0),
        (0, 2, 1.0),
        (1, 2, 1.0),
        (3, 4, 1.0),
        (3, 5, 1.0),
        (4, 5, 1.0),
        (2, 3, 0.1),
    ]
    made = graph(6, edges)
    division = communities.divide(made)
    assert division.groups == ((0, 1, 2), (3, 4, 5))
    assert [communities.cohesion(made, group) for group in division.groups] == [1.0, 1.0]
    # 6 of 6.1 of the weight lies inside, half of all ends in each group: 6/6.1 - 2 * (1/2)^2.
    assert division.modularity == pytest.approx(6 / 6.1 - 0.5)


def test_what_hangs_on_nothing_is_in_no_group() -> None:
    assert communities.divide(graph(4, [(1, 2, 0.5)])).groups == ((1, 2),)


@pytest.mark.parametrize("nodes", [0, 3])
def test_a_graph_without_edges_has_no_groups(nodes: int) -> None:
    assert communities.divide(graph(nodes, [])) == Division(groups=(), modularity=0.0)


def test_a_ring_of_cliques_falls_into_its_cliques() -> None:
    size, count = 5, 6
    edges: Edges = []
    for clique in range(count):
        first = clique * size
        nodes = range(first, first + size)
        edges += [(one, other, 1.0) for one in nodes for other in nodes if one < other]
        edges.append((first, (first + size) % (size * count), 1.0))
    division = communities.divide(graph(size * count, edges))
    assert division.groups == tuple(
        tuple(range(first, first + size)) for first in range(0, size * count, size)
    )
    assert communities.quality_name(division.modularity) is Quality.STRONG


def test_a_pair_is_whole_and_a_single_node_has_no_cohesion() -> None:
    made = graph(3, [(0, 1, 0.2), (1, 2, 0.2)])
    assert communities.cohesion(made, [0, 1]) == 1.0
    assert communities.cohesion(made, [0, 1, 2]) == pytest.approx(2 / 3)
    assert communities.cohesion(made, [0]) == 0.0


@pytest.mark.parametrize(
    ("modularity", "word"),
    [
        (0.61, "strong"),
        (0.6, "moderate"),
        (0.3, "moderate"),
        (0.29, "fragmented"),
        (0.0, "fragmented"),
    ],
)
def test_the_word_for_a_modularity(modularity: float, word: str) -> None:
    assert communities.quality_name(modularity) == word


@given(st.integers(0, 2**32), st.integers(2, 25), st.integers(0, 60))
def test_any_graph_is_divided_once_for_all_and_no_worse_than_not_at_all(
    seed: int, nodes: int, count: int
) -> None:
    chance = random.Random(seed)
    edges: Edges = []
    for _ in range(count):
        one, other = chance.sample(range(nodes), 2)
        edges.append((one, other, chance.choice((0.1, 0.5, 1.0))))
    made = graph(nodes, edges)
    division = communities.divide(made)
    assert communities.divide(graph(nodes, edges)) == division
    placed = [node for group in division.groups for node in group]
    assert sorted(placed) == [node for node in range(nodes) if made[node]]
    # Everything in one group has modularity 0.
    assert division.modularity >= -1e-9
    assert division.groups == tuple(sorted(division.groups))
