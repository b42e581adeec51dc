"""No form of a value is left in a text."""

import base64
import json
import random
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.secrets.redact import REDACTED, TRUNCATED, redacted
from signet.text.literals import SHORT_CHARS

VALUE = 'p/Wd+ö"7 x&y'


@pytest.mark.parametrize(
    "form",
    [
        VALUE,
        quote(VALUE),
        quote(VALUE, safe=""),
        quote_plus(VALUE),
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
    ],
    ids=["plain", "url", "url-part", "form", "json", "json-utf8"],
)
def test_each_way_of_writing_a_value_is_found(form: str) -> None:
    assert redacted(f"key={form};", [VALUE]) == f"key={REDACTED};"


@pytest.mark.parametrize("before", [b"", b"a", b"ab", b"abc"], ids=["0", "1", "2", "3"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode], ids=["std", "url"])
def test_a_value_inside_base64_is_found_at_every_alignment(before: bytes, encode: object) -> None:
    assert callable(encode)
    said = encode(before + b"correct horse battery" + b"tail").decode()
    clean = redacted(said, ["correct horse battery"])
    assert REDACTED in clean
    assert len(clean.replace(REDACTED, "")) <= 12


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_value_is_found_where_a_program_has_broken_it_into_lines(end: str) -> None:
    value = "".join(chr(33 + n % 90) for n in range(200))
    said = base64.b64encode(f"before {value} after".encode()).decode()
    lines = end.join(said[at : at + 76] for at in range(0, len(said), 76))
    clean = redacted(f"first{end}{lines}{end}last{end}", [value])
    assert clean.startswith(f"first{end}") and clean.endswith(f"{end}last{end}")
    assert REDACTED in clean and len(clean) < 60
    assert redacted(end.join(value), [value]) == REDACTED


def test_lines_of_a_value_are_found_alone_and_longer_values_first() -> None:
    value = "-----BEGIN-----\nabcdef\nghijkl\n-----END-----"
    assert redacted("it said ghijkl", [value]) == f"it said {REDACTED}"
    assert redacted("abcdefghi", ["abcdef", "abcdefghi"]) == REDACTED


def test_a_short_value_is_found_where_it_stands_alone() -> None:
    assert redacted("pin 42, not 4242 or a42", ["42"]) == f"pin {REDACTED}, not 4242 or a42"


def test_a_value_across_the_limit_is_found() -> None:
    text = "x" * 8 + "sesame" + "y" * 8
    assert redacted(text, ["sesame"], 10) == "x" * 8 + REDACTED + TRUNCATED
    assert redacted("x" * 10, ["sesame"], 10) == "x" * 10


@given(st.text(min_size=4), st.text(), st.text())
def test_no_value_is_left(value: str, before: str, after: str) -> None:
    if value not in REDACTED:
        assert value not in redacted(before + value + after, [value]).replace(REDACTED, "\0")


def simply(text: str, values: list[str], limit: int) -> str:
    """Take plain values out of a text without line ends, one pattern for all: right, and slow for many."""
    parts = [
        re.escape(one) if len(one) > SHORT_CHARS else rf"(?<!\w){re.escape(one)}(?!\w)"
        for one in sorted(set(values), key=len, reverse=True)
    ]
    pattern = re.compile("|".join(parts))
    end = limit
    for found in pattern.finditer(text):
        if found.start() < end < found.end():
            end = found.end()
    return pattern.sub(REDACTED, text[:end]) + (TRUNCATED if len(text) > limit else "")


@pytest.mark.parametrize("seed", range(8))
def test_many_values_are_taken_out_as_one_pattern_would(seed: int) -> None:
    # Values that begin with each other, lie in each other and meet; no text here is a base64 of another.
    rng = random.Random(seed)
    for _ in range(150):
        values = ["".join(rng.choices("ab-", k=rng.randint(1, 9))) for _ in range(8)]
        words = [rng.choice([*values, "b", "a-", " "]) for _ in range(rng.randint(0, 40))]
        text, limit = "".join(words), rng.choice([9, 40, 999])
        assert redacted(text, values, limit) == simply(text, values, limit), (text, values, limit)


def test_every_line_of_a_long_secret_goes_from_a_long_text() -> None:
    lines = [f"line-{number * 7919 % 100_003:06}" for number in range(5_000)]
    said = "\n".join(f"read {line} of it" for line in reversed(lines))
    clean = redacted(said, ["\n".join(lines)])
    assert clean == "\n".join([f"read {REDACTED} of it"] * len(lines))
