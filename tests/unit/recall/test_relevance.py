import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.recall import cutoff, rank


def test_a_rarer_word_tells_more_and_no_word_tells_less_than_nothing() -> None:
    rare, common, everywhere = rank.weights([1, 500, 5_000], 5_000)
    assert rare > common > everywhere > 0


def test_in_a_small_store_all_words_are_rare() -> None:
    found, missing = rank.weights([1, 0], 1)
    assert found / (found + missing) > 0.4


def test_own_words_count_whole_and_those_beside_in_part() -> None:
    words = [{1: 2.0}, {2: 1.0}]
    own = cutoff.held(1, words, [1.0, 1.0], {}, 1)
    both = cutoff.held(1, [{1: 2.0}], [2.0], {}, 1)
    assert own == pytest.approx(0.4 * 0.5 + 0.6 * (1 - math.exp(-0.1)))
    assert own < cutoff.held(1, words, [1.0, 1.0], {1: {2}}, 1) < both
    assert cutoff.held(3, words, [1.0, 1.0], {}, 1) == 0.0


def test_words_meet_by_chance_in_long_texts() -> None:
    short, long, longer = (cutoff.held(1, [{1: 1.0}], [5.0], {}, n) for n in (1, 8, 64))
    assert short > long > longer > 0


def test_a_common_word_that_is_the_whole_question_tells_less_than_a_rare_one() -> None:
    assert cutoff.held(1, [{1: 1.0}], [0.5], {}, 1) < cutoff.held(1, [{1: 1.0}], [6.0], {}, 1)


def test_a_question_without_words_holds_nothing() -> None:
    assert cutoff.held(1, [], [], {}, 1) == 0.0


def test_relevance_is_cosine_and_words_and_in_part_that_of_the_best_on_the_page() -> None:
    found = cutoff.relevance({1: 0.8, 2: 0.5}, {1: 0.6}, {})
    best = 0.55 * 0.6 + 0.5 * 0.8
    assert found == pytest.approx({1: best, 2: 0.7 * 0.5 + 0.3 * best})


def test_relevance_is_in_part_that_of_the_best_of_the_same_conversation() -> None:
    words = {1: 0.9, 2: 0.1, 3: 0.1, 4: 0.5}
    alone = cutoff.relevance(words, {}, {})
    beside = cutoff.relevance(words, {}, {1: 7, 2: 7, 3: None, 4: 8})
    assert beside == pytest.approx({**alone, 2: alone[2] + cutoff.SOURCE * (0.9 - 0.1)})


def test_without_vectors_the_words_are_all() -> None:
    assert cutoff.relevance({1: 0.8}, {}, {}) == pytest.approx({1: 0.8})
    assert cutoff.relevance({}, {}, {}) == {}


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=8), st.integers(0, 10_000))
def test_what_is_held_is_between_none_and_all(held: list[int], rows: int) -> None:
    weight = rank.weights(held, rows)
    words = [{1: 1.0} if number % 2 else {} for number in range(len(held))]
    assert 0.0 <= cutoff.held(1, words, weight, {}, 1) <= 1.0 + 1e-9
