"""Splitting oversized content (MEM-11)."""

from hypothesis import given
from hypothesis import strategies as st

from signet.domain.memory import chunks


def test_sentences_are_added_while_the_piece_stays_within_the_target() -> None:
    assert chunks.split("One two. Three four! Five six? Seven.", 20) == [
        "One two. Three four!",
        "Five six? Seven.",
    ]


def test_a_full_stop_without_a_space_ends_no_sentence() -> None:
    assert chunks.split("See app.py and 1.2.3 now. Then go.", 26) == [
        "See app.py and 1.2.3 now.",
        "Then go.",
    ]


def test_a_sentence_of_up_to_two_targets_stays_whole() -> None:
    assert chunks.split("a" * 20 + ". b.", 10 + 1) == ["a" * 20 + ".", "b."]


def test_a_sentence_beyond_two_targets_is_cut_hard() -> None:
    assert chunks.split("Hi. " + "x" * 25, 10) == ["Hi.", "x" * 10, "x" * 10, "x" * 5]


def test_a_blank_text_gives_no_pieces() -> None:
    assert chunks.split(" \n ", 10) == []


@given(st.text(alphabet="ab .!?\n", max_size=400), st.integers(5, 60))
def test_nothing_is_lost_and_no_piece_is_beyond_two_targets(text: str, target: int) -> None:
    pieces = chunks.split(text, target)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= 2 * target and piece == piece.strip() for piece in pieces)
