"""The map: groups that lie apart in many dimensions lie apart on it, and it is the same each time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy import float32, float64, int64
from numpy.typing import NDArray

from signet.domain.projection import draw

GROUPS = 5
OF_EACH = 20


def groups(width: int = 96) -> tuple[list[bytes], NDArray[int64]]:
    """Return vectors around a few centres, and which centre each is of."""
    chance = np.random.default_rng(7)
    centres = chance.standard_normal((GROUPS, width))
    which = np.repeat(np.arange(GROUPS), OF_EACH)
    rows = centres[which] + 0.8 * chance.standard_normal((len(which), width))
    return [row.astype("<f4").tobytes() for row in rows], which


def purity(places: NDArray[float64], which: NDArray[int64]) -> float:
    """Return the share of the ten nearest points that are of the point's own group."""
    near, _ = draw.nearest(places.astype(float32), 10)
    return float((which[near] == which[:, None]).mean())


@pytest.mark.parametrize(("width", "dimensions"), [(40, 3), (1_536, 2)])
def test_groups_stay_together_and_apart_from_each_other(width: int, dimensions: int) -> None:
    vectors, which = groups(width)
    ids = [str(number) for number in range(len(vectors))]
    drawn = draw.draw(ids, vectors, dimensions=dimensions, stamp="s")
    assert purity(np.array(drawn.places), which) > 0.98


def test_the_same_vectors_give_the_same_map() -> None:
    vectors, _ = groups()
    ids = [str(number) for number in range(len(vectors))]
    first, again = (draw.draw(ids, vectors, dimensions=2, stamp="s") for _ in range(2))
    assert first == again


def test_equal_and_empty_vectors_are_drawn_too() -> None:
    for vector in (np.ones(8, dtype="<f4"), np.zeros(8, dtype="<f4")):
        drawn = draw.draw(list("abcde"), [vector.tobytes()] * 5, dimensions=2, stamp="s")
        assert np.isfinite(np.array(drawn.places)).all()
        assert len(drawn.places) == 5


@settings(max_examples=15, deadline=None)
@given(
    arrays.arrays(
        float32,
        st.tuples(st.integers(3, 30), st.integers(1, 9)),
        elements=st.floats(-3, 3, width=32),
    )
)
def test_any_vectors_give_finite_places_within_the_frame(rows: NDArray[float32]) -> None:
    vectors = [row.astype("<f4").tobytes() for row in rows]
    ids = [str(number) for number in range(len(vectors))]
    drawn = draw.draw(ids, vectors, dimensions=2, stamp="s")
    places = np.array(drawn.places)
    assert np.isfinite(places).all() and np.abs(places).max() <= draw.REACH
    assert all(0 <= one < other < len(rows) for one, other in drawn.edges)


def test_neighbours_are_those_of_a_comparison_of_all() -> None:
    points = np.random.default_rng(3).standard_normal((600, 5)).astype(float32)
    near, distances = draw.nearest(points, 7)
    apart = np.linalg.norm(points[:, None, :] - points[None, :, :], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert (near == np.argsort(apart, axis=1, kind="stable")[:, :7]).mean() > 0.999
    assert distances == pytest.approx(np.sort(apart, axis=1)[:, :7], abs=1e-3)


def test_an_edge_is_as_strong_as_either_end_believes() -> None:
    near = np.array([[1, 2], [0, 2], [1, 0]])
    distances = np.array([[1.0, 2.0], [1.0, 1.5], [1.5, 2.0]])
    graph = draw.fuzzy(near, distances)
    strength = {
        (int(one), int(other)): float(weight)
        for one, other, weight in zip(graph.heads, graph.tails, graph.weights, strict=True)
    }
    assert len(strength) == len(graph.weights) == 6, "each direction once"
    assert all(strength[other, one] == pytest.approx(w) for (one, other), w in strength.items())
    assert strength[0, 1] == pytest.approx(1.0), "both are each other's nearest"
    assert strength[0, 1] > strength[0, 2] > 0


def test_the_weights_of_a_point_add_up_to_the_logarithm_of_their_number() -> None:
    points = np.random.default_rng(3).standard_normal((200, 12)).astype(float32)
    near, distances = draw.nearest(points, 15)
    scales = draw.scales(distances)
    beliefs = np.exp(-(distances - distances[:, :1]) / scales)
    assert near.shape == (200, 15)
    assert beliefs.sum(axis=1) == pytest.approx(np.log2(15), abs=1e-4)


def test_what_is_left_of_wide_vectors_keeps_their_distances() -> None:
    vectors, which = groups(2_000)
    points = draw.reduced(vectors, seed=1)
    assert points.shape == (GROUPS * OF_EACH, draw.KEPT)
    assert purity(points.astype(float64), which) > 0.99


def test_axes_fill_the_frame_and_an_axis_without_range_is_zero() -> None:
    framed = draw.framed(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]))
    assert framed.tolist() == [[-210.0, 0.0], [-70.0, 0.0], [210.0, 0.0]]


def test_lines_join_each_point_to_its_four_nearest() -> None:
    places = np.random.default_rng(5).uniform(-210, 210, (1_000, 2))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    wanted = {
        (min(one, other), max(one, other))
        for one, row in enumerate(np.argsort(apart, axis=1)[:, :4].tolist())
        for other in row
    }
    assert draw.lines(places) == sorted(wanted)
