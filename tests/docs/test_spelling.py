"""No word of the documentation looks like a misspelling of another."""

from docs import spelling


def test_no_new_word_is_a_slip_away_from_a_known_one() -> None:
    found = spelling.suspects(spelling.words(), spelling.known())
    assert found == {}, "correct them, or run: PYTHONPATH=tests python -m docs.spelling"


def test_a_slip_is_found_and_a_form_of_a_word_is_none() -> None:
    known = {"receive", "memory", "setting"}
    wrong = {"recieve", "memmory", "seting", "memories", "settings", "receives", "quiet"}
    assert set(spelling.suspects(wrong, known)) == {"recieve", "memmory", "seting"}
