"""Draw a map of memories: reduce their vectors with UMAP and place neighbours together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import float32, float64, int64
from numpy.random import Generator
from numpy.typing import NDArray

from signet.domain.projection.models import Map

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
class NeighbourGraph:
    """Weighted edges in both directions: `heads[i]` to `tails[i]`, weight 0..1."""

    heads: NDArray[int64]
    tails: NDArray[int64]
    weights: NDArray[float64]


def layout(points: NDArray[float32], *, dimensions: int, seed: int) -> NDArray[float64]:
    """Return coordinates for each of at least three points."""
    count = min(NEIGHBOURS, max(2, len(points) - 1))
    graph = fuzzy(*nearest(points, count))
    chance = np.random.default_rng(seed)
    return _settle(_start(points, dimensions, chance), graph, chance)


def nearest(points: NDArray[Any], count: int) -> tuple[NDArray[int64], NDArray[float64]]:
    """Return each point's `count` nearest other points and their distances, nearest first."""
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


def fuzzy(near: NDArray[int64], distances: NDArray[float64]) -> NeighbourGraph:
    """Return the graph whose weights combine both directions (the probabilistic sum)."""
    count, width = near.shape
    beliefs = np.exp(-np.maximum(distances - distances[:, :1], 0.0) / scales(distances))
    heads = np.repeat(np.arange(count), width)
    tails = near.ravel()
    # A pair of points is one number; both directions of it are searched in the sorted list.
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
    return NeighbourGraph(edges // count, edges % count, strengths)


def scales(distances: NDArray[float64]) -> NDArray[float64]:
    """Return each point's scale, at which its neighbours weigh log2(count) together (the paper's section 3.1)."""
    beyond = np.maximum(distances - distances[:, :1], 0.0)
    target = np.log2(distances.shape[1])
    low, high = np.zeros(len(beyond)), np.full(len(beyond), np.inf)
    scale = np.ones(len(beyond))
    for _ in range(BISECTIONS):
        too_wide = np.exp(-beyond / scale[:, None]).sum(axis=1) > target
        high, low = np.where(too_wide, scale, high), np.where(too_wide, low, scale)
        scale = np.where(np.isinf(high), scale * 2.0, (low + high) / 2.0)
    # If most neighbours are equally near, no scale is small enough; a thousandth of the mean is (as in the authors'
    # code).
    least = 1e-3 * np.maximum(distances.mean(axis=1), distances.mean() * 1e-3)
    found: NDArray[float64] = np.maximum(scale, np.maximum(least, 1e-12))[:, None]
    return found


def _start(points: NDArray[float32], dimensions: int, chance: Generator) -> NDArray[float64]:
    """Return the first principal components, scaled to `START_SPREAD`, with noise that separates equal points."""
    start = np.zeros((len(points), dimensions))
    known = min(dimensions, points.shape[1])
    start[:, :known] = points[:, :known]
    start *= START_SPREAD / max(float(np.abs(start).max()), 1e-12)
    return start + chance.normal(scale=1e-2, size=start.shape)


def _settle(places: NDArray[float64], graph: NeighbourGraph, chance: Generator) -> NDArray[float64]:
    """Return the places after pulling along edges and pushing random points apart, with decreasing steps.

    An edge takes part in a share of the epochs equal to its weight. All edges of an epoch move at once.
    """
    count, epochs = len(places), 400 if len(places) <= 2_500 else 300
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
    """Return the steps of the heads towards their tails: the gradient of the curve's logarithm."""
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
    """Return the steps of points away from others."""
    square = np.einsum("ij,ij->i", apart, apart)
    factor = 2.0 * B / ((1e-3 + square) * (1.0 + A * np.power(square, B)))
    steps: NDArray[float64] = np.clip(factor[:, None] * apart, -LONGEST_STEP, LONGEST_STEP)
    return steps


def _summed(owners: NDArray[int64], steps: NDArray[float64], count: int) -> NDArray[float64]:
    return np.stack(
        [np.bincount(owners, weights=column, minlength=count) for column in steps.T], axis=1
    )


#: The same vectors give the same map.
SEED = 42


def draw(ids: Sequence[str], vectors: Sequence[bytes], *, dimensions: int, stamp: str) -> Map:
    places, edges = _placed(vectors, dimensions)
    return Map(stamp=stamp, ids=tuple(ids), places=places, edges=edges)


def _placed(
    vectors: Sequence[bytes], dimensions: int
) -> tuple[tuple[tuple[float, ...], ...], tuple[tuple[int, int], ...]]:
    """Return places and edges; one point is in the middle, two are side by side (EM-16)."""
    rest = (0.0,) * (dimensions - 1)
    if len(vectors) < 2:
        return tuple((0.0, *rest) for _ in vectors), ()
    if len(vectors) == 2:
        half = REACH / 2
        return ((-half, *rest), (half, *rest)), ((0, 1),)
    points = reduced(vectors, seed=SEED)
    places = framed(layout(points, dimensions=dimensions, seed=SEED))
    return tuple(map(tuple, places.tolist())), tuple(lines(places))


#: Coordinates reach from minus this to plus this.
REACH = 210.0
#: Lines from each point.
LINES = 4


def framed(places: NDArray[float64]) -> NDArray[float64]:
    """Stretch each axis to the frame; an axis without differences is 0."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = high - low
    shares = np.divide(places - low, span, out=np.full_like(places, 0.5), where=span > 0)
    frame: NDArray[float64] = np.round((shares - 0.5) * 2.0 * REACH, 3)
    return frame


def lines(places: NDArray[float64]) -> list[tuple[int, int]]:
    """Return distinct pairs (i, j), i < j: every point and its `LINES` nearest others."""
    near, _ = nearest(places, min(LINES, len(places) - 1))
    ends = ((one, other) for one, row in enumerate(near.tolist()) for other in row)
    return sorted({(min(pair), max(pair)) for pair in ends})


KEPT = 64
#: Beyond this width vectors are projected at random first, to this many dimensions; distances stay within a few
#: hundredths (Johnson and Lindenstrauss, 1984).
WIDEST = 1_024
#: Rows held in full width at the same time.
BATCH = 512


def reduced(vectors: Sequence[bytes], *, seed: int) -> NDArray[float32]:
    """Return at most `KEPT` numbers for each little-endian float32 vector, all of one width.

    Only directions count; a zero vector stays at the centre.
    """
    points = _units(vectors, seed)
    points -= points.mean(axis=0)
    if points.shape[1] <= KEPT:
        return points
    _, axes = np.linalg.eigh((points.T @ points).astype(np.float64))
    kept = axes[:, ::-1][:, :KEPT]
    # An axis may point either way; the largest part decides, so that a map is not mirrored from build to build.
    signs = np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])])
    found: NDArray[float32] = points @ (kept * signs).astype(np.float32)
    return found


def _units(vectors: Sequence[bytes], seed: int) -> NDArray[float32]:
    width = len(vectors[0]) // 4
    wide = width > WIDEST
    directions = (
        np.random.default_rng(seed).standard_normal((width, WIDEST), dtype=np.float32)
        if wide
        else None
    )
    found = np.empty((len(vectors), min(width, WIDEST)), dtype=np.float32)
    for start in range(0, len(vectors), BATCH):
        part = np.frombuffer(b"".join(vectors[start : start + BATCH]), dtype="<f4")
        # Wide enough that the square of any stored number is finite.
        rows = np.nan_to_num(part.reshape(-1, width).astype(np.float64), posinf=0.0, neginf=0.0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        found[start : start + len(units)] = units if directions is None else units @ directions
    return found
