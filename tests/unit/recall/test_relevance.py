import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.recall import floor


def test_a_rarer_word_tells_more_and_no_word_tells_less_than_nothing() -> None:
    rare, common, everywhere = floor.weights([1, 500, 5_000], 5_000)
    assert rare > common > everywhere > 0


def test_in_a_small_store_all_words_are_rare() -> None:
    found, missing = floor.weights([1, 0], 1)
    assert found / (found + missing) > 0.4


def test_the_share_counts_own_words_whole_and_those_beside_in_part() -> None:
    words = [{1: 2.0}, {2: 1.0}]
    assert floor.share(1, words, [1.0, 1.0], {}) == 0.5
    assert floor.share(1, words, [1.0, 1.0], {1: {2}}) == pytest.approx(0.7)
    assert floor.share(3, words, [1.0, 1.0], {}) == 0.0


def test_a_question_without_words_has_no_share() -> None:
    assert floor.share(1, [], [], {}) == 0.0


def test_relevance_is_cosine_and_share_and_the_share_alone_without_vector() -> None:
    found = floor.relevance({1: 1.0, 2: 0.5}, {1: 0.5})
    assert found == pytest.approx({1: 0.7, 2: 0.5})


def test_the_floor_rises_with_the_candidates_and_is_lower_for_words_alone() -> None:
    levels = [floor.least(0.3, candidates=n, by_meaning=True) for n in (0, 1, 5, 50, 500)]
    assert levels[:2] == [0.0, 0.0]
    assert levels == sorted(levels)
    assert levels[-2:] == pytest.approx([0.3, 0.3])
    assert floor.least(0.3, candidates=500, by_meaning=False) == pytest.approx(0.2)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=8), st.integers(0, 10_000))
def test_a_share_is_between_none_and_all(held: list[int], rows: int) -> None:
    weight = floor.weights(held, rows)
    words = [{1: 1.0} if number % 2 else {} for number in range(len(held))]
    assert 0.0 <= floor.share(1, words, weight, {}) <= 1.0 + 1e-9
