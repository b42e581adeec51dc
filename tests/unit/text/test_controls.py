"""What a cleaned text still holds."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.text.controls import clean, escaped

_STEERING = "\x1b\x9b\x90\x07\x00\x08\x7f\x85\u200b\u200e\u202e\u2066\u2060\ufeff\U000e0041"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\nwith lines", "plain\ttext\nwith lines"),
        ("\x1b[2J\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x9b31mC1 too", "C1 too"),
        ("\x1b]52;c;never ended", "52;c;never ended"),
        ("\x1b\x1b[31m[31mnested", "[31mnested"),
        ("pass\u200bword ab\u202ecd", "password abcd"),
        ("hidden\U000e0041\U000e0042 tags", "hidden tags"),
        ("over\rwritten\r\nline", "over\nwritten\nline"),
        ("می\u200cخواهم 👩\u200d💻 a\u200db", "می\u200cخواهم 👩\u200d💻 ab"),
        ("<\ufe0f/a \ufe0fb ❤\ufe0f 1\ufe0f\u20e3 1\ufe0f", "</a b ❤\ufe0f 1\ufe0f\u20e3 1"),
    ],
)
def test_sequences_and_what_hides_go_and_words_stay(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(st.text(st.sampled_from(f"{_STEERING}[]0m;a\u200d\u200cé\r\n\t\\")))
def test_nothing_that_steers_is_left_and_json_keeps_its_meaning(text: str) -> None:
    assert not set(clean(text)) & set(_STEERING + "\r")
    written = escaped(json.dumps(text, ensure_ascii=False))
    assert not set(written) & set(_STEERING + "\r")
    assert json.loads(written) == text


@given(st.text(st.sampled_from("<a❤漢\ufe0f\ufe0e\u200d\u200b\U000e0100 \u00a0\n")))
def test_no_selector_or_joiner_is_left_at_ascii_and_a_second_time_changes_nothing(
    text: str,
) -> None:
    shown = clean(text)
    assert not re.search("[<a \n\u00a0][\ufe0e\ufe0f\u200d]|^[\ufe0e\ufe0f\u200d]", shown)
    assert clean(shown) == shown


@pytest.mark.parametrize(
    "piece", ["\x1b", "\x1b[", "\x1b]", "\x1b]a", "\x90", "\x9b", "\u200d", "é\u200d"]
)
def test_a_long_hostile_text_is_read_to_its_end(piece: str) -> None:
    assert clean(piece * 100_000 + "\nend").endswith("end")
