"""Answer with the map that is there, or see to it that it is made.

A map of up to `AT_ONCE` memories that was asked for with a filter or a page is drawn for the answer; every other is
drawn by a job, one for each question, and kept until the vectors it shows have changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.projection import sql
from signet.domain.projection.models import Failure, Map, MapExtent, MapView
from signet.queue import Job, enqueue
from signet.queue.job_context import JobContext

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
class NeighbourGraph:
    """Weighted edges in both directions: `heads[i]` to `tails[i]`, weight 0..1."""

    heads: NDArray[int64]
    tails: NDArray[int64]
    weights: NDArray[float64]


def layout(points: NDArray[float32], *, dimensions: int, seed: int) -> NDArray[float64]:
    """Return coordinates for each of at least three points."""
    import numpy as np

    count = min(NEIGHBOURS, max(2, len(points) - 1))
    graph = fuzzy(*nearest(points, count))
    chance = np.random.default_rng(seed)
    return _settle(_start(points, dimensions, chance), graph, chance)


def nearest(points: NDArray[float32], count: int) -> tuple[NDArray[int64], NDArray[float64]]:
    """Return each point's `count` nearest other points and their distances, nearest first."""
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


def fuzzy(near: NDArray[int64], distances: NDArray[float64]) -> NeighbourGraph:
    """Return the graph whose weights combine both directions (the probabilistic sum)."""
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
    return NeighbourGraph(edges // count, edges % count, strengths)


def scales(distances: NDArray[float64]) -> NDArray[float64]:
    """Return each point's scale, at which its neighbours weigh log2(count) together (the paper's section 3.1)."""
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
    """Return the first principal components, scaled to `START_SPREAD`, with noise that separates equal points."""
    import numpy as np

    start = np.zeros((len(points), dimensions))
    known = min(dimensions, points.shape[1])
    start[:, :known] = points[:, :known]
    start *= START_SPREAD / max(float(np.abs(start).max()), 1e-12)
    return start + chance.normal(scale=1e-2, size=start.shape)


def _epochs(count: int) -> int:
    return 400 if count <= 2_500 else 300


def _settle(places: NDArray[float64], graph: NeighbourGraph, chance: Generator) -> NDArray[float64]:
    """Return the places after pulling along edges and pushing random points apart, with decreasing steps.

    An edge takes part in a share of the epochs equal to its weight. All edges of an epoch move at once.
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
    """Return the steps of the heads towards their tails: the gradient of the curve's logarithm."""
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
    """Return the steps of points away from others."""
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


if TYPE_CHECKING:
    from numpy import float32, float64, int64
    from numpy.typing import NDArray

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
#: Up to here every pair of points is compared; above, the neighbours on each side in two orders.
EXACT_UP_TO = 450
SIDE = 24


def framed(places: NDArray[float64]) -> NDArray[float64]:
    """Stretch each axis to the frame; an axis without differences is 0."""
    import numpy as np

    low, high = places.min(axis=0), places.max(axis=0)
    span = high - low
    shares = np.divide(places - low, span, out=np.full_like(places, 0.5), where=span > 0)
    frame: NDArray[float64] = np.round((shares - 0.5) * 2.0 * REACH, 3)
    return frame


def lines(places: NDArray[float64]) -> list[tuple[int, int]]:
    """Return distinct pairs (i, j), i < j: every point and its `LINES` nearest others."""
    import numpy as np

    count = len(places)
    candidates = _all(count) if count <= EXACT_UP_TO else _beside(places)
    apart = ((places[candidates] - places[:, None, :]) ** 2).sum(axis=2)
    apart[candidates == np.arange(count)[:, None]] = np.inf
    # A candidate may stand on both sides and in both orders; it counts once.
    apart[_repeated(candidates)] = np.inf
    order = np.lexsort((candidates, apart), axis=1)[:, :LINES]
    rows = np.arange(count)[:, None]
    pairs = {
        (min(one, other), max(one, other))
        for one, others, how_far in zip(
            range(count), candidates[rows, order].tolist(), apart[rows, order].tolist(), strict=True
        )
        for other, far in zip(others, how_far, strict=True)
        if far != np.inf
    }
    return sorted(pairs)


def _all(count: int) -> NDArray[int64]:
    import numpy as np

    return np.tile(np.arange(count), (count, 1))


def _beside(places: NDArray[float64]) -> NDArray[int64]:
    """Return for each point the `SIDE` points before and after it in the order of X, and in that of Y."""
    import numpy as np

    count = len(places)
    steps = np.concatenate([np.arange(-SIDE, 0), np.arange(1, SIDE + 1)])
    found = np.empty((count, 4 * SIDE), dtype=np.int64)
    for axis in (0, 1):
        order = np.argsort(places[:, axis], kind="stable")
        # Beyond an end stands the point itself, which is never joined to itself.
        at = np.arange(count)[:, None] + steps
        around = np.where((at < 0) | (at >= count), np.arange(count)[:, None], at)
        found[order, axis * 2 * SIDE : (axis + 1) * 2 * SIDE] = order[around]
    return found


def _repeated(candidates: NDArray[int64]) -> NDArray[int64]:
    """Return where a row names a candidate that it has named before."""
    import numpy as np

    order = np.argsort(candidates, axis=1, kind="stable")
    ranked = np.take_along_axis(candidates, order, axis=1)
    again = np.zeros_like(ranked, dtype=bool)
    again[:, 1:] = ranked[:, 1:] == ranked[:, :-1]
    found = np.empty_like(again)
    np.put_along_axis(found, order, again, axis=1)
    return found


KEPT = 64
#: Beyond this width vectors are projected at random first, to this many dimensions; distances stay within a few
#: hundredths (Johnson and Lindenstrauss, 1984).
WIDEST = 1_024
#: Rows that are held at their full width at once.
BATCH = 512


def reduced(vectors: Sequence[bytes], *, seed: int) -> NDArray[float32]:
    """Return at most `KEPT` numbers for each little-endian float32 vector, all of one width.

    Only directions count; a zero vector stays at the centre.
    """
    import numpy as np

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
    import numpy as np

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


KIND = "umap_projection"
#: Memories of a filtered map that is drawn while the caller waits: about a quarter of a second of one core (EM-12).
AT_ONCE = 500
#: How long a failure is shown before another attempt (EM-11), and how often a job is tried.
FAILURE_SHOWN = timedelta(seconds=30)
ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A stored map, or the vectors to draw one, or neither yet."""

    extent: MapExtent
    drawn: Map | None = None
    vectors: tuple[list[str], list[bytes]] | None = None
    #: What is shown of each memory of the map or of the vectors.
    rows: Mapping[str, Row] = field(default_factory=dict)
    failure: Failure | None = None
    is_open: bool = False


def look(tx: ReadTx, view: MapView, *, now: datetime) -> Looked:
    """Return the stored map, or the vectors for a new one."""
    reader = agents.reader(tx, view.agent_id)
    extent = sql.extent(tx, view, reader)
    drawn = sql.kept(tx, view, extent.stamp)
    if drawn is not None:
        return Looked(extent=extent, drawn=drawn, rows=sql.nodes(tx, drawn.ids, reader))
    shown = min(view.size, max(0, extent.total - view.offset))
    if shown <= 2 or (shown <= AT_ONCE and not view.is_whole):
        found = sql.vectors(tx, view, reader, extent)
        return Looked(extent=extent, vectors=found, rows=sql.nodes(tx, found[0], reader))
    key = _job(view).unique_key or ""
    row = tx.one(sql.DIED, (clock.to_text(now - FAILURE_SHOWN), key))
    failure = None if row is None else Failure(error=row[0] or "", at=row[1])
    return Looked(extent=extent, failure=failure, is_open=tx.one(sql.IS_OPEN, (key,)) is not None)


def begin(tx: WriteTx, view: MapView, *, now: datetime) -> None:
    """Queue drawing the map, unless it is queued."""
    enqueue(tx, _job(view), now=now, max_attempts=ATTEMPTS)


def drawn(view: MapView, looked: Looked) -> Map:
    """Return the stored map, or draw it."""
    if looked.drawn is not None:
        return looked.drawn
    ids, vectors = looked.vectors or ([], [])
    return draw(ids, vectors, dimensions=view.dimensions, stamp=looked.extent.stamp)


def run(job: JobContext, view: MapView) -> None:
    """Draw and store the map in the worker and complete the job; raises LeaseLost, Cancelled."""
    extent, (ids, vectors) = job.db.read(_snapshot, view)
    made = draw(ids, vectors, dimensions=view.dimensions, stamp=extent.stamp)
    job.check()

    def keep(tx: WriteTx) -> dict[str, object]:
        fields = {"stamp": made.stamp, "ids": made.ids, "places": made.places, "edges": made.edges}
        text = json.dumps(fields, separators=(",", ":"))
        tx.run(
            sql.KEEP, (view.key, view.dimensions, len(made.ids), text, clock.to_text(clock.now()))
        )
        tx.run(sql.FORGET, (sql.KEPT,))
        return {"nodes": len(made.ids), "edges": len(made.edges)}

    job.commit(keep)


def delete_maps(tx: WriteTx) -> None:
    tx.run(sql.DELETE_ALL)


def _snapshot(tx: ReadTx, view: MapView) -> tuple[MapExtent, tuple[list[str], list[bytes]]]:
    reader = agents.reader(tx, view.agent_id)
    extent = sql.extent(tx, view, reader)
    return extent, sql.vectors(tx, view, reader, extent)


def _job(view: MapView) -> Job:
    return Job(kind=KIND, dedupe_key=str(view.key), payload=view.payload(), agent_id=view.agent_id)
