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


def redacted(text: str, values: Sequence[str], limit: int | None = None) -> str:
    """Return the text without the values; at most `limit` characters of it, and then a mark that there was more.

    A value that lies across the limit is taken out as well.
    """
    forms = {form for value in values for form in _forms(value)}
    text = _joined(text, [form for form in forms if len(form) > WRAPPED_CHARS])
    found = Literals(forms)
    end = len(text) if limit is None else limit
    more = TRUNCATED if len(text) > end else ""
    if more:
        for start, stop in found.places(text):
            if start >= end:
                break
            end = max(end, stop)
        text = text[:end]
    parts, done = [], 0
    for start, stop in found.places(text):
        parts += [text[done:start], REDACTED]
        done = stop
    return "".join([*parts, text[done:], more])


def longest(values: Sequence[str]) -> int:
    """Return how many characters the longest form of the values has."""
    return max((len(form) for value in values for form in _forms(value)), default=0)


def _joined(text: str, forms: Collection[str]) -> str:
    """Return the text without the line ends that stand inside of a form."""
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
    """Yield a value as it is, its lines, and each of them as URL, JSON and base64 write it."""
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
    """Yield what any base64 of a text that holds these bytes must hold, for each of the three alignments.

    The digits at both ends also carry bits of their neighbours, so they are left out.
    """
    for shift in range(3):
        first = (8 * shift + 5) // 6
        last = 8 * (shift + len(raw)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(b"\0" * shift + raw).decode()[first:last]
            if len(form) > SHORT_CHARS:
                yield form
