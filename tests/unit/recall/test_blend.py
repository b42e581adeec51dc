import pytest
from hypothesis import strategies as st

from signet.domain.recall import blend, neighbours

SHARE = st.floats(0, 1)
SCORES = st.dictionaries(st.integers(0, 30), SHARE)


def test_the_blend_weighs_both_sides() -> None:
    scores = blend.weighed({1: 1.0}, {1: 0.5, 2: 0.5}, alpha=0.6)
    assert scores == pytest.approx({1: 0.7, 2: 0.3})


def test_a_row_without_vector_gets_the_mean_cosine() -> None:
    scores = blend.weighed({3: 1.0}, {1: 0.2, 2: 0.4}, alpha=0.6)
    assert scores[3] == pytest.approx(0.6 * 0.3 + 0.4)


def test_without_any_vector_words_stand_alone() -> None:
    assert blend.weighed({1: 0.8}, {}, alpha=0.6) == {1: 0.8}


def test_the_words_of_a_long_text_count_less_and_by_the_share_it_holds() -> None:
    words = [{1: 1.0, 2: 1.0}, {1: 1.0}]
    scores = blend.worded(words, {}, {1: 1.0, 2: 8.0})
    assert scores[1] == 1.0
    assert scores[2] < 0.5 * 0.5 + 1e-9


def test_a_word_of_the_neighbour_counts_a_part() -> None:
    scores = blend.worded([{1: 1.0}, {2: 1.0}], neighbours.symmetric({1: [2]}), {})
    assert scores == {1: 1.0, 2: 1.0}
    scores = blend.worded([{1: 1.0}], neighbours.symmetric({1: [2]}), {})
    assert scores == pytest.approx({1: 1.0, 2: neighbours.WORD})


def test_many_passages_take_from_the_cosine_what_few_get() -> None:
    even = blend.levelled({1: 0.5, 2: 0.5}, {1: 9.0, 2: 9.0})
    assert even == pytest.approx({1: 0.5, 2: 0.5})
    uneven = blend.levelled({1: 0.5, 2: 0.5}, {1: 1.0, 2: 9.0})
    assert uneven[1] > 0.5 > uneven[2]


def test_a_lone_memory_is_not_lifted() -> None:
    lifted = neighbours.lift({1: 0.6, 2: 0.6}, {}, {2: 7})
    assert lifted == pytest.approx({1: 0.6, 2: 0.6})


def test_neighbours_and_the_best_of_the_source_lift() -> None:
    around = neighbours.symmetric({1: [2]})
    lifted = neighbours.lift({1: 1.0, 2: 0.1, 3: 0.1, 4: 0.1}, around, {1: 7, 2: 7, 3: 7})
    assert lifted[2] > lifted[3] > lifted[4] == pytest.approx(0.1)
    assert lifted[1] > 1.0


def test_a_memory_belongs_to_its_source_else_to_what_was_saved_with_it() -> None:
    places = {1: (7, 20), 2: (7, 20), 3: (8, 20), 4: (None, 20), 5: (9, None)}
    assert neighbours.groups(places) == {1: 7, 2: 7, 3: 20, 4: 20}


def test_of_two_short_texts_the_shorter_is_not_the_better() -> None:
    bm25 = {1: 1.3, 2: 0.9}
    scores = blend.worded([bm25], {}, {1: 0.05, 2: 0.25})
    assert scores[2] / scores[1] > bm25[2] / bm25[1]
    even = blend.evened({1: 0.05, 2: 0.25})
    assert even[2] > 1 > even[1]


def test_among_long_texts_the_length_counts_as_bm25_says() -> None:
    assert blend.evened({1: 1.0, 2: 9.0}) == {}
    assert blend.evened({}) == {}
