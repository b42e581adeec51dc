"""Splitting oversized content (MEM-11)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.memory import wording


def test_sentences_are_added_while_the_piece_stays_within_the_target() -> None:
    assert wording.split_text("One two. Three four! Five six? Seven.", 20) == [
        "One two. Three four!",
        "Five six? Seven.",
    ]


def test_a_full_stop_without_a_space_ends_no_sentence() -> None:
    assert wording.split_text("See app.py and 1.2.3 now. Then go.", 26) == [
        "See app.py and 1.2.3 now.",
        "Then go.",
    ]


def test_a_sentence_of_up_to_two_targets_stays_whole() -> None:
    assert wording.split_text("a" * 20 + ". b.", 10 + 1) == ["a" * 20 + ".", "b."]


def test_only_a_word_beyond_two_targets_is_cut() -> None:
    assert wording.split_text("Hi. " + "x" * 25, 10) == ["Hi.", "x" * 10, "x" * 15]
    assert wording.split_text("aa " * 6 + "b" * 15, 10) == ["aa aa aa", "aa aa aa", "b" * 15]


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")])
def test_a_long_line_without_full_stops_is_cut_between_its_words(
    separators: tuple[str, str],
) -> None:
    hosts = [f"srv{number}.prod.example" for number in range(90)]
    rows = {f"k{number}": {"host": host, "port": 9000} for number, host in enumerate(hosts)}
    pieces = wording.split_text("Table: " + json.dumps(rows, separators=separators), 600)
    assert len(pieces) < 12
    assert [host for host in hosts if not any(f'"{host}"' in piece for piece in pieces)] == []


def test_scripts_without_blanks_are_cut_between_their_signs() -> None:
    text = "部署之前先运行迁移" * 40
    pieces = wording.split_text(text, 100)
    assert "".join(pieces) == text and max(map(len, pieces)) <= 100


def test_paragraphs_and_lines_stay_whole_with_their_indentation() -> None:
    steps = [f"{number}. stop:\n   - queue {number}" for number in range(4)]
    assert wording.split_text("\n\n".join(steps), 60) == [
        "\n\n".join(steps[:2]),
        "\n\n".join(steps[2:]),
    ]


def test_a_blank_text_gives_no_pieces() -> None:
    assert wording.split_text(" \n ", 10) == []


@given(st.text(alphabet="ab .!?\n", max_size=400), st.integers(5, 60))
def test_nothing_is_lost_and_no_piece_is_beyond_two_targets(text: str, target: int) -> None:
    pieces = wording.split_text(text, target)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= 2 * target and piece == piece.strip() for piece in pieces)


def test_no_cut_parts_an_emoji_a_flag_or_a_letter_from_its_mark() -> None:
    for one in (
        "\U0001f469\u200d\U0001f469\u200d\U0001f466",
        "\U0001f44d\U0001f3fd",
        "\U0001f1e9\U0001f1ea",
        "e\u0301",
    ):
        pieces = wording.split_text(one * 40, 11)
        assert "".join(pieces) == one * 40
        assert all(piece == one * (len(piece) // len(one)) for piece in pieces), pieces
