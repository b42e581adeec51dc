"""Find private keys in a text, complete or truncated, whatever precedes their lines. Pure."""

import re
from collections.abc import Iterator

from signet.text.reading import HIDDEN
from signet.text.values import varies

#: A class in front makes the search several times as fast.
_MARK = re.compile(
    rf"[-Pb{HIDDEN}](?:(?<=-)-{{3,4}} ?(?P<side>BEGIN|END) (?P<kind>[A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?)?"
    r"[^-\n]{0,60}-{4,5}|(?P<form>(?<=P)rivate-Lines: ?\d{1,3}|(?<=b)(?=3BlbnNzaC1rZXktdjE))"
    rf"|(?<={HIDDEN}){HIDDEN}*)"
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
            *_, (first, last) = [(0, -_GAP - 1), *_groups(text, start, mark.start())]
            if mark.start() - last <= _GAP:
                yield first, mark.end(), "private key"
        elif mark["kind"] or mark["form"] is not None:
            group = next(_groups(text, mark.end(), stop), None)
            if group and group[0] - mark.end() <= _HEAD:
                yield mark.start(), group[1], "private key"


def _groups(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each group of body lines between two places."""
    group: tuple[int, int] | None = None
    for run in _RUN.finditer(text, start, stop):
        if len(run[0]) < 40 and not varies(run[0]):
            continue
        begin, end = run.span()
        if group and begin - group[1] > _GAP:
            yield group
            group = None
        group = (group[0] if group else begin, end)
    if group:
        yield group
