import math

import numpy as np
import pytest

from signet.domain.recall import rank, tuning


def test_a_rarer_word_tells_more_and_no_word_tells_less_than_nothing() -> None:
    rare, common, everywhere = rank.weights([1, 500, 5_000], 5_000)
    assert rare > common > everywhere > 0


def test_in_a_small_store_all_words_are_rare() -> None:
    found, missing = rank.weights([1, 0], 1)
    assert found / (found + missing) > 0.4


def _candidates(*cosines: float) -> np.ndarray:
    rows = np.zeros((len(cosines), len(rank.FEATURES)))
    rows[:, rank.at("cosine")] = cosines
    return rows


def test_of_a_prompt_the_best_candidate_and_its_distance_to_other_sources_count() -> None:
    rows = _candidates(0.5, 0.4, 0.3, 0.2, 0.1)
    scores = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    found = rank.need(scores, rows, np.array([7, 7, 1, 2, 3]), words=6)
    shown = dict(zip(rank.NEED, found.tolist(), strict=True))
    assert shown["cosine"] == 0.5
    assert shown["lead"] == 2.0  # the second is of the same source
    assert shown["lead_of_few"] == 4.0
    assert shown["cosine_of_few"] == pytest.approx(0.4)
    assert shown["asked"] == pytest.approx(math.log(7))


def test_a_source_that_is_alone_has_a_fixed_lead() -> None:
    found = rank.need(np.array([5.0]), _candidates(0.5), np.array([0]), words=1)
    shown = dict(zip(rank.NEED, found.tolist(), strict=True))
    assert (shown["lead"], shown["lead_of_few"]) == (tuning.ALONE_LEAD, 0.0)
