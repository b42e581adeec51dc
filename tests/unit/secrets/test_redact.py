"""No form of a value is left in a text."""

import base64
import json
import random
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.secrets.use import REDACTED, TRUNCATED, redacted
from signet.text.literals import SHORT_CHARS
from support.growth import is_steep, repeated

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
    # Values that begin with each other, lie in each other and meet; no text here is a base64 of another. They are too
    # short to be looked for in disguise.
    rng = random.Random(seed)
    for _ in range(150):
        values = ["".join(rng.choices("ab-", k=rng.randint(1, 7))) for _ in range(8)]
        words = [rng.choice([*values, "b", "a-", " "]) for _ in range(rng.randint(0, 40))]
        text, limit = "".join(words), rng.choice([9, 40, 999])
        assert redacted(text, values, limit) == simply(text, values, limit), (text, values, limit)


def test_every_line_of_a_long_secret_goes_from_a_long_text() -> None:
    lines = [f"line-{number * 7919 % 100_003:06}" for number in range(5_000)]
    said = "\n".join(f"read {line} of it" for line in reversed(lines))
    clean = redacted(said, ["\n".join(lines)])
    assert clean == "\n".join([f"read {REDACTED} of it"] * len(lines))


SECRET = "Tr0ub4dor-and-3x"
DISGUISES = {
    "hex": SECRET.encode().hex(),
    "upper hex": SECRET.encode().hex().upper(),
    "hex with colons": SECRET.encode().hex(":"),
    "hex with blanks": SECRET.encode().hex(" "),
    "escapes": "".join(f"\\x{byte:02x}" for byte in SECRET.encode()),
    "unicode escapes": "".join(f"\\u{byte:04x}" for byte in SECRET.encode()),
    "C array": ", ".join(f"0x{byte:02X}" for byte in SECRET.encode()),
    "percent": "".join(f"%{byte:02X}" for byte in SECRET.encode()),
    "decimals": " ".join(map(str, SECRET.encode())),
    "entities": "".join(f"&#{byte};" for byte in SECRET.encode()),
    "reversed": SECRET[::-1],
    "reversed bytes": SECRET.encode()[::-1].hex(),
    "upper case": SECRET.upper(),
    "lower case": SECRET.lower(),
    "swapped case": SECRET.swapcase(),
    "blanks": " ".join(SECRET),
    "dashes": "-".join(SECRET),
    "lines": "\n".join(SECRET),
    "lines of four": "\r\n".join(SECRET[at : at + 4] for at in range(0, len(SECRET), 4)),
    "JSON list": json.dumps(list(SECRET)),
    "UTF-16": SECRET.encode("utf-16-le").decode("utf-8", "replace"),
    "UTF-16 big": SECRET.encode("utf-16-be").decode("utf-8", "replace"),
    "hex of UTF-16": SECRET.encode("utf-16-le").hex(),
    "zero-width": "\u200b".join(SECRET),
    "base32": base64.b32encode(SECRET.encode()).decode(),
    "base32 inside": base64.b32encode(b"ab " + SECRET.encode() + b" cd").decode(),
    "lower base32": base64.b32encode(b"a" + SECRET.encode()).decode().lower(),
    "base64 in lines": "\n".join(base64.b64encode(SECRET.encode()).decode()),
    "URL": quote(SECRET.replace("-", "&")),
}  # fmt: skip


@pytest.mark.parametrize("name", DISGUISES)
def test_a_value_in_disguise_is_found(name: str) -> None:
    values = [SECRET.replace("-", "&") if name == "URL" else SECRET]
    clean = redacted(f"first: {DISGUISES[name]} :last", values)
    assert clean.startswith("first: ") and clean.endswith(":last")
    assert REDACTED in clean
    left = clean.replace(REDACTED, "")
    assert len(left) <= len("first:  :last") + 16, left


@pytest.mark.parametrize("value", ["a", "42", "on", "test", "admin", "prod12"])
def test_a_short_value_does_not_take_out_other_words(value: str) -> None:
    text = "A tested administrator, on production 1 2, p.r.o.d.1.2 and TSET, 6f6e."
    clean = redacted(text, [value])
    assert len(clean.replace(REDACTED, "")) >= len(text) - 12


@pytest.mark.parametrize("lines", [1, 1_000])
def test_a_secret_of_64_kb_is_taken_out_in_linear_time(lines: int) -> None:
    rng = random.Random(lines)
    size = 65_536 // lines
    value = "\n".join("".join(rng.choices("abcdefgh0123", k=size)) for _ in range(lines))
    assert value[100:200] not in redacted(f"x {value} y", [value])
    assert redacted(value.upper(), [value]).count(REDACTED) >= 1
    text = repeated(f"{value[:12]} ")
    assert not is_steep(lambda said: redacted(said, [value]), text, 20_000)
