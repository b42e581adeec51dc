"""Find private keys in a text, complete or truncated, whatever precedes their lines. Pure."""

import re
from collections.abc import Iterator, Sequence

from signet.text.reading import HIDDEN
from signet.text.values import varies

_MARK = re.compile(
    r"-{4,5} ?(?P<side>BEGIN|END) (?P<kind>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)?[^-\n]{0,60}-{4,5}"
    rf"|(?P<form>Private-Lines: ?\d{{1,3}}|(?=b3BlbnNzaC1rZXktdjE))|{HIDDEN}+"
)
#: Every text with a private key contains one of these.
_NEEDLES = ("PRIVATE KEY", "Private-Lines", "b3BlbnNzaC1rZXktdjE")
#: A body line: base64 of some length.
_RUN = re.compile(r"[A-Za-z0-9+/]{16,}+={0,2}")
#: Maximum characters before the first line (headers), and between lines (numbers, quotation and diff marks).
_HEAD, _GAP = 240, 80


def bodies(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each private key including its marks, and its kind."""
    if not any(needle in text for needle in _NEEDLES):
        return
    marks = list(_MARK.finditer(text))
    before = [0, *(mark.end() for mark in marks)]
    after = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, start, stop in zip(marks, before, after, strict=False):
        if mark["side"] == "END" and mark["kind"]:
            runs = [(-end, -begin) for begin, end in _runs(text, start, mark.start())]
            reached = -_reach(-mark.start(), runs[::-1], first=_GAP)
            if reached < mark.start():
                yield reached, mark.end(), "private key"
        elif mark["kind"] or mark["form"] is not None:
            reached = _reach(mark.end(), _runs(text, mark.end(), stop), first=_HEAD)
            if reached > mark.end():
                yield mark.start(), reached, "private key"


def _runs(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return body lines between two places."""
    runs = _RUN.finditer(text, start, stop)
    return [run.span() for run in runs if len(run[0]) >= 40 or varies(run[0])]


def _reach(place: int, runs: Sequence[tuple[int, int]], *, first: int) -> int:
    """Return how far runs with small gaps extend from a place."""
    gap = first
    for start, end in runs:
        if start - place > gap:
            break
        place, gap = end, _GAP
    return place
