"""Taking values out of a text, in every form in which a command may have printed them. Pure."""

import base64
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, chain
from urllib.parse import quote, quote_plus

from signet.text.literals import SHORT_CHARS, Literals

REDACTED = "[REDACTED]"
TRUNCATED = "\n[truncated]"
#: Longer forms are also found where a program has broken them into lines, as `base64` does.
WRAPPED_CHARS = 7
_LINE_END = re.compile(r"\r?\n")
#: Fewer letters and digits may be a word: only the forms of `_forms` are taken out.
SQUEEZED_CHARS = 8
#: Most characters that a disguise makes of a byte: `0x41, `.
DISGUISE = 8
#: Longer forms are searched in parts.
PART_CHARS = 2_048
_RUN = re.compile(r"[^\W_]+")


def redacted(text: str, values: Sequence[str], limit: int | None = None) -> str:
    """Return the text without the values; at most `limit` characters of it, and then a mark that there was more.

    A value that lies across the limit is taken out as well.
    """
    forms = {part for value in values for form in _forms(value) for part in _parts(form)}
    text = _joined(text, [form for form in forms if len(form) > WRAPPED_CHARS])
    plain, squeezed = Literals(forms), Literals(_squeezed_forms(values))
    end = len(text) if limit is None else limit
    more = TRUNCATED if len(text) > end else ""
    if more:
        for start, stop in _places(text, plain, squeezed):
            if start >= end:
                break
            end = max(end, stop)
        text = text[:end]
    parts, done = [], 0
    for start, stop in _places(text, plain, squeezed):
        if start >= done:
            parts += [text[done:start], REDACTED]
        done = max(done, stop)
    return "".join([*parts, text[done:], more])


def longest(values: Sequence[str]) -> int:
    """Return how many characters the longest form of the values has."""
    return max((DISGUISE * len(value.encode("utf-8", "replace")) for value in values), default=0)


def _places(text: str, plain: Literals, squeezed: Literals) -> list[tuple[int, int]]:
    """Return the positions of values, from the left: their forms, and their letters and digits with any separators."""
    runs = [found.span() for found in _RUN.finditer(text)]
    ends = list(accumulate(stop - start for start, stop in runs))
    found = list(plain.places(text))
    for first, last in squeezed.places(_squeezed(text)):
        begin, end = bisect_right(ends, first), bisect_left(ends, last)
        found.append((runs[begin][1] - (ends[begin] - first), runs[end][1] - (ends[end] - last)))
    return sorted(found)


def _parts(form: str) -> Iterator[str]:
    size = -(-len(form) // (len(form) // PART_CHARS + 1)) or 1
    yield from (form[at : at + size] for at in range(0, len(form), size))


def _squeezed_forms(values: Sequence[str]) -> set[str]:
    """Return letters and digits of the values: plain, reversed, and as codes of their bytes."""
    forms = {form for value in values for form in _disguises(value)}
    return {part for form in forms if len(form) >= SQUEEZED_CHARS for part in _parts(form)}


def _disguises(value: str) -> Iterator[str]:
    """Yield each line of a value, and all of it, squeezed in every disguise; nothing for a short one."""
    for text in {value, *(line for line in value.split("\n") if len(line) >= SQUEEZED_CHARS)}:
        raw, plain = text.encode("utf-8", "replace"), _squeezed(text)
        digits = raw.hex()
        pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
        forms = [
            plain,
            plain[::-1],
            digits,
            raw[::-1].hex(),
            text.encode("utf-16-le", "replace").hex(),
        ]
        forms += [f"{mark}".join(["", *pairs]) for mark in ("x", "0x", "u00")]
        forms += ["".join(map(str, raw)), *map(_squeezed, chain(_base64(raw), _base32(raw)))]
        yield from forms if len(text) > SHORT_CHARS else ()


def _squeezed(text: str) -> str:
    return "".join(_RUN.findall(text.replace("\u0130", "i"))).lower()


def _joined(text: str, forms: Collection[str]) -> str:
    """Remove line ends inside a form."""
    ends = [found[0] for found in _LINE_END.finditer(text)]
    if not forms or not ends:
        return text
    lines = _LINE_END.split(text)
    # Where each line end stood in the text without any.
    places = list(accumulate(map(len, lines[:-1])))
    for start, stop in Literals(forms).places("".join(lines)):
        for place in range(bisect_right(places, start), bisect_left(places, stop)):
            ends[place] = ""
    return "".join(chain.from_iterable(zip(lines, [*ends, ""], strict=True)))


def _forms(value: str) -> Iterator[str]:
    """Yield a value, its lines, and each of them in the forms of URL, JSON and base64."""
    yield value
    if len(value) <= SHORT_CHARS:
        return
    lines = [line.strip("\r") for line in value.split("\n")]
    for text in {value, *(line for line in lines if len(line) > SHORT_CHARS)}:
        yield text
        yield quote(text, safe="")
        yield quote(text)
        yield quote_plus(text)
        yield json.dumps(text)[1:-1]
        yield json.dumps(text, ensure_ascii=False)[1:-1]
        yield from _base64(text.encode("utf-8", "replace"))


def _base64(raw: bytes) -> Iterator[str]:
    """Yield the base64 parts that every text with these bytes contains, for each of the three alignments.

    The digits at both ends also carry bits of their neighbours, so they are left out.
    """
    for shift in range(3):
        first = (8 * shift + 5) // 6
        last = 8 * (shift + len(raw)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(b"\0" * shift + raw).decode()[first:last]
            if len(form) > SHORT_CHARS:
                yield form


def _base32(raw: bytes) -> Iterator[str]:
    """Yield the base32 parts that every text with these bytes contains, for each of the five alignments."""
    for shift in range(5):
        first = (8 * shift + 4) // 5
        last = 8 * (shift + len(raw)) // 5
        yield base64.b32encode(b"\0" * shift + raw).decode()[first:last]
