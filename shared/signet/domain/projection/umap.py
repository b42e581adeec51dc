"""Uniform manifold approximation and projection (UMAP), small and in NumPy.

After McInnes, Healy and Melville, "UMAP" (arXiv:1802.03426): each point's nearest neighbours become a weighted graph,
and a plane is found in which neighbours lie together and others do not. The library that is named after it brings
numba, SciPy and scikit-learn, 300 MB; up to 5,000 points need none of them: neighbours are compared exactly, and the
plane starts at the principal components instead of the graph's spectrum. The same input and seed give the same map.

Memory: one block of distances (`BLOCK` rows), the graph (about 25 edges for each point) and what is drawn in one epoch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32, float64, int64
    from numpy.random import Generator
    from numpy.typing import NDArray

#: Neighbours of a point, and the curve 1 / (1 + A d^(2B)) that is nearest to "1 up to the minimum distance 0.1, then
#: e^-(d - 0.1) with spread 1.0" (EM-15); least squares, as in the paper's section 3.2.
NEIGHBOURS = 15
A, B = 1.576943, 0.895061
#: Points that are not neighbours, drawn for each neighbour that pulls.
NEGATIVES = 5
#: No single step is longer, as in the authors' program.
LONGEST_STEP = 4.0
#: How far the first plane reaches.
START_SPREAD = 10.0
BLOCK = 512
#: Rounds of bisection for a point's scale; each halves the error.
BISECTIONS = 40


@dataclass(frozen=True, slots=True)
class Graph:
    """Weighted edges, each named once in both directions: `heads[i]` to `tails[i]`, weight 0..1."""

    heads: NDArray[int64]
    tails: NDArray[int64]
    weights: NDArray[float64]


def layout(points: NDArray[float32], *, dimensions: int, seed: int) -> NDArray[float64]:
    """Return a place of `dimensions` numbers for each of at least three points."""
    import numpy as np

    count = min(NEIGHBOURS, max(2, len(points) - 1))
    graph = fuzzy(*nearest(points, count))
    chance = np.random.default_rng(seed)
    return _settle(_start(points, dimensions, chance), graph, chance)


def nearest(points: NDArray[float32], count: int) -> tuple[NDArray[int64], NDArray[float64]]:
    """Return the `count` nearest other points of each point and their distances, nearest first."""
    import numpy as np

    squares = np.einsum("ij,ij->i", points, points)
    near = np.empty((len(points), count), dtype=np.int64)
    distances = np.empty((len(points), count))
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        rows = np.arange(len(block))[:, None]
        apart = squares[start : start + BLOCK, None] + squares - 2.0 * (block @ points.T)
        apart[rows[:, 0], start + rows[:, 0]] = np.inf
        chosen = np.argpartition(apart, count - 1, axis=1)[:, :count]
        order = np.lexsort((chosen, apart[rows, chosen]), axis=1)
        chosen = chosen[rows, order]
        near[start : start + BLOCK] = chosen
        distances[start : start + BLOCK] = np.sqrt(np.maximum(apart[rows, chosen], 0.0))
    return near, distances


def fuzzy(near: NDArray[int64], distances: NDArray[float64]) -> Graph:
    """Return the graph in which an edge is as strong as either end believes (the probabilistic sum)."""
    import numpy as np

    count, width = near.shape
    beliefs = np.exp(-np.maximum(distances - distances[:, :1], 0.0) / scales(distances))
    heads = np.repeat(np.arange(count), width)
    tails = near.ravel()
    # A pair of points is one number; both directions of it are looked up among the sorted ones.
    pairs, back = heads * count + tails, tails * count + heads
    order = np.argsort(pairs)
    pairs, back, one = pairs[order], back[order], beliefs.ravel()[order]
    place = np.minimum(np.searchsorted(pairs, back), len(pairs) - 1)
    mutual = pairs[place] == back
    other = np.where(mutual, one[place], 0.0)
    weights = one + other - one * other
    lonely = ~mutual
    edges = np.concatenate([pairs, back[lonely]])
    strengths = np.concatenate([weights, weights[lonely]])
    return Graph(edges // count, edges % count, strengths)


def scales(distances: NDArray[float64]) -> NDArray[float64]:
    """Return for each point the scale at which its neighbours weigh log2(count) together (the paper's section 3.1)."""
    import numpy as np

    beyond = np.maximum(distances - distances[:, :1], 0.0)
    target = np.log2(distances.shape[1])
    low, high = np.zeros(len(beyond)), np.full(len(beyond), np.inf)
    scale = np.ones(len(beyond))
    for _ in range(BISECTIONS):
        too_wide = np.exp(-beyond / scale[:, None]).sum(axis=1) > target
        high, low = np.where(too_wide, scale, high), np.where(too_wide, low, scale)
        scale = np.where(np.isinf(high), scale * 2.0, (low + high) / 2.0)
    # Where most neighbours are equally near no scale is small enough; a thousandth of the mean is (as the authors').
    least = 1e-3 * np.maximum(distances.mean(axis=1), distances.mean() * 1e-3)
    found: NDArray[float64] = np.maximum(scale, np.maximum(least, 1e-12))[:, None]
    return found


def _start(points: NDArray[float32], dimensions: int, chance: Generator) -> NDArray[float64]:
    """Return the first principal components, spread to `START_SPREAD`, with noise that parts equal points."""
    import numpy as np

    start = np.zeros((len(points), dimensions))
    known = min(dimensions, points.shape[1])
    start[:, :known] = points[:, :known]
    start *= START_SPREAD / max(float(np.abs(start).max()), 1e-12)
    return start + chance.normal(scale=1e-2, size=start.shape)


def _epochs(count: int) -> int:
    """Return how often all edges are walked: fewer the more points, like the program that clients know."""
    return 400 if count <= 2_500 else 300


def _settle(places: NDArray[float64], graph: Graph, chance: Generator) -> NDArray[float64]:
    """Return the places after pulling along edges and pushing random points apart, ever more gently.

    An edge takes part in an epoch as often as its weight says. All edges of an epoch move at once, each from where
    the points were at its beginning.
    """
    import numpy as np

    count, epochs = len(places), _epochs(len(places))
    share = graph.weights / graph.weights.max()
    due = np.zeros(len(share))
    for epoch in range(epochs):
        due += share
        active = np.flatnonzero(due >= 1.0)
        due[active] -= 1.0
        heads, tails = graph.heads[active], graph.tails[active]
        others = chance.integers(0, count, size=len(active) * NEGATIVES)
        step = _pulls(places[heads] - places[tails])
        moves = _summed(heads, step, count)
        pushed = np.repeat(heads, NEGATIVES)
        moves += _summed(pushed, _pushes(places[pushed] - places[others]), count)
        rate = 1.0 - epoch / epochs
        places = places + rate * np.clip(moves, -LONGEST_STEP, LONGEST_STEP)
    return places


def _pulls(apart: NDArray[float64]) -> NDArray[float64]:
    """Return the step of each head towards its tail: the gradient of the curve's logarithm."""
    import numpy as np

    square = np.einsum("ij,ij->i", apart, apart)
    powered = np.power(square, B)
    factor = np.divide(
        -2.0 * A * B * powered,
        square * (1.0 + A * powered),
        out=np.zeros_like(square),
        where=square > 0,
    )
    steps: NDArray[float64] = np.clip(factor[:, None] * apart, -LONGEST_STEP, LONGEST_STEP)
    return steps


def _pushes(apart: NDArray[float64]) -> NDArray[float64]:
    """Return the step of each point away from another."""
    import numpy as np

    square = np.einsum("ij,ij->i", apart, apart)
    factor = 2.0 * B / ((1e-3 + square) * (1.0 + A * np.power(square, B)))
    steps: NDArray[float64] = np.clip(factor[:, None] * apart, -LONGEST_STEP, LONGEST_STEP)
    return steps


def _summed(owners: NDArray[int64], steps: NDArray[float64], count: int) -> NDArray[float64]:
    import numpy as np

    return np.stack(
        [np.bincount(owners, weights=column, minlength=count) for column in steps.T], axis=1
    )
