"""Replace secrets in a text before it is stored: `[masked: GitHub token]`. Pure.

Detects tokens by their issuer's prefix (`issuers.py`), values announced by a word (`named.py`), and secrets by their
surroundings: private keys, addresses, headers, options, password hashes. Other runs of letters and digits stay,
because hashes, IDs and images are not secrets. A secret found in one place is replaced everywhere. Text between
`<private>` and `</private>` is replaced, too.

Every step takes linear time: at most 0.5 s for 1 MB of the worst text on one core. So a text with more secrets than
a list of passwords is masked from there on, as one secret.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from signet import resources
from signet.text import issuers, named, patterns, private_keys, values
from signet.text.literals import Literals
from signet.text.reading import HIDDEN, TextReading

#: A shorter secret may be an ordinary word elsewhere; a longer one is detected everywhere anyway.
_LEAST_KNOWN, _MOST_KNOWN = 8, 512

_OPENS, _CLOSES = "<private>", "</private>"

_Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Masked:
    """A masked text, and the kinds of secrets in order, each once."""

    text: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    """An expression whose only group is a secret if `is_secret` agrees."""

    kind: str
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool]

    def secrets(self, text: str) -> Iterator[_Span]:
        # A line end is added in front, because a pattern that begins with a class runs several times as fast as one
        # with a boundary.
        for match in self.pattern.finditer(f"\n{text}"):
            if self.is_secret(match[1]):
                yield match.start(1) - 1, match.end(1) - 1, self.kind


def mask(text: str) -> Masked:
    """Return the text with every detected secret replaced. Idempotent."""
    reading = TextReading(text)
    read = reading.text
    lower = read.lower()
    spans = _joined([*_private(lower), *_evident(read, lower), *private_keys.bodies(read)])
    # Announced values are read with these masks in place, so that masking twice gives the same text.
    if spans:
        del lower  # of a long transcript each copy takes up to 30 MB
        read = _replaced(read, [(start, end, HIDDEN * (end - start)) for start, end, _ in spans])
        lower = read.lower()
    spans = _joined([*spans, *named.secrets(read, lower)])
    del read, lower
    if not spans:
        return Masked(text)
    spans = _joined([*spans, *_repeated(spans, reading.text)])
    masks = {kind: f"[masked: {kind}]" for *_, kind in spans}
    places = reading.places([place for start, end, _ in spans for place in (start, end)])
    kinds = [masks[kind] for *_, kind in spans]
    return Masked(
        _replaced(text, list(zip(places[::2], places[1::2], kinds, strict=True))), tuple(masks)
    )


def _replaced(text: str, spans: list[_Span]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, by in spans:
        parts += (text[done:start], by)
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _private(lower: str) -> Iterator[_Span]:
    """Yield what people mark as private, with its tags: `<private>…</private>`. A tag in code quotes is a mention."""
    start = lower.find(_OPENS)
    while start >= 0 and (end := lower.find(_CLOSES, start)) >= 0:
        end += len(_CLOSES)
        if lower[start - 1 : start] == "`":
            end = start + len(_OPENS)
        else:
            yield start, end, "private text"
        start = lower.find(_OPENS, end)


def _evident(text: str, lower: str) -> Iterator[_Span]:
    """Yield secrets detected by their form or their surroundings; text next to a mask may be the rest of one."""
    rules = dict.fromkeys([rule for needle, rule in _NEEDLES if needle in lower])
    for spans in (issuers.tokens(text), *(rule.secrets(text) for rule in rules)):
        if HIDDEN in text:
            spans = (one for one in spans if HIDDEN not in text[max(0, one[0] - 1) : one[1] + 1])
        yield from islice(spans, named.most_values(text))
        yield from ((start, len(text), kind) for start, _, kind in islice(spans, 1))


def _joined(spans: list[_Span]) -> list[_Span]:
    """Return spans in order, with overlapping ones merged and given the kind of the longest."""
    joined: list[_Span] = []
    for start, end, kind in sorted(spans):
        if joined and start < joined[-1][1]:
            first, last, kept = joined[-1]
            joined[-1] = (first, max(last, end), kind if end > last else kept)
        else:
            joined.append((start, end, kind))
    return joined


def _repeated(spans: list[_Span], text: str) -> Iterator[_Span]:
    """Yield other occurrences of detected secrets as whole words."""
    ends = [0, *(end for _, end, _ in spans)]
    starts = [*(start for start, _, _ in spans), len(text)]
    gaps = [gap for gap in zip(ends, starts, strict=True) if gap[1] - gap[0] >= _LEAST_KNOWN]
    kinds = {
        text[start:end]: kind
        for start, end, kind in spans
        if _LEAST_KNOWN <= end - start <= _MOST_KNOWN
    }
    # A plain word or number has another meaning elsewhere.
    literals = Literals(
        [secret for secret in kinds if not (secret.isalpha() or secret.isdigit())] if gaps else (),
        words=True,
    )
    for begin, stop in gaps:
        for start, end in literals.places(text, begin, stop - _LEAST_KNOWN + 1):
            if not _INSIDE.match(text, end):
                yield start, end, kinds[text[start:end]]


def _is_in_address(value: str) -> bool:
    """Return whether a password in an address is real: no variable, asterisks or sample."""
    return not (
        _TEMPLATE.search(value) or not value.strip("*x.X") or _SAMPLE.fullmatch(value.lower())
    )


#: Passwords of samples in documentation: `user:your_password@host`.
_SAMPLE = patterns.lazy(
    r"(?:(?:your|my|the|new|old|user|db|database|root|admin|test|some|strong|secure)[-_]?){0,3}"
    r"(?:password|passwd|pass|pwd|pw|secret|token|api[-_]?key)(?:[-_]?here)?"
)
_INSIDE = patterns.lazy(r"(?<=\w)(?=\w)")
_TEMPLATE = patterns.lazy(r"^[$<{%[]|\.{3}|…|\$\{|\{\{")
_CHECKS: dict[str, Callable[[str], bool]] = {
    "is_in_address": _is_in_address,
    "is_cookie": lambda value: not _TEMPLATE.search(value.partition("=")[2]),
    "is_hash": lambda value: len(set(value)) >= 12,
    "is_chosen": values.is_chosen,
    "is_given": values.is_given,
    "looks_random": values.looks_random,
}
#: Rules, each with literals of which every match contains one.
_NEEDLES = tuple(
    (needle, rule)
    for row in resources.expressions(__file__)["rules"]
    for rule in [
        _Rule(row["kind"], patterns.lazy(row["pattern"]), _CHECKS.get(row.get("check"), bool))
    ]
    for needle in row["needles"].split("|")
)
