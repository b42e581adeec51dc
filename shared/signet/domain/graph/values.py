"""Whether a later commit changes an amount, or a later talk a setting, on which a talk in its project agreed. Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from signet import clock
from signet.domain.graph import assertions as read
from signet.domain.statements.sentences import FENCE

_USERS = re.compile(r"^(?=User[^:\n]{0,60}: )", re.MULTILINE)
#: Parts of identifiers and words, and amounts with what may be their unit.
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")
_AMOUNT = re.compile(r"(?<!\w)(?<![^\W\d_]-)\d[\d_.,:]*|[^\W\d_]+|[€$£%]")
#: A line of a log or a stack trace; it states no agreement.
_TRACE = re.compile(r"\s|\d{4}-\d\d-\d\d|[\w.]*(?:Error|Exception)\b")
#: "A whole year" is an amount.
_WHOLE = frozenset(
    (
        "whole",
        "full",
        "entire",
        "ganzes",
        "ganze",
        "ganzen",
        "entière",
        "entier",
        "entero",
        "entera",
    )
)
#: Words that a commit's subject must share with an exchange, or one if its whole message shares MESSAGE_SHARED. On four
#: developers' days 2 and 4 found 11 of 22 changes, with 1 wrong pair (loadtests, `ownday`).
SUBJECT_SHARED, MESSAGE_SHARED = 2, 4
#: Begins the kinds of durations.
_DURATION = "duration "
LATER_HOURS = 24
#: A setting with its value, in backticks or with a number: `hard_deletes: new_record`, HOLD_MINUTES = 20. Its name has
#: several parts, because "port", "status" or "name" belong to many things. On five developers' days 13 settings had
#: another value later, and each pair was a change (loadtests, `ownday`).
_NAME = (
    r"[a-z][^\W_]{0,40}(?:[-_.][^\W_]{1,40}){1,6}|[a-z]{1,40}[A-Z][^\W_]{0,40}"
    r"|[A-Z][A-Z\d]{0,40}(?:_[^\W_]{1,40}){1,6}"
)
_SETTING = re.compile(
    rf"`-{{0,2}}({_NAME})(?: ?= ?|: )([^\s`][^`\n]{{0,40}})`"
    rf"|(?<![\w./$-])({_NAME})(?: ?= ?|: )(\d[\w.%]*|true|false|on|off)(?![\w./-])"
)
#: Results and names of single things are no settings.
_RESULT = re.compile(
    r"(?:^|[_-])(?:ids?|codes?|counts?|status|at|time|total|rows|errors?|ms|took)$", re.IGNORECASE
)


class Amended(NamedTuple):
    """The line of a talk with the earlier value, the later sentence or line, and the share of its words that agree."""

    old: str
    new: str
    near: float


def by_commit(text: str, said_at: str, message: str, committed_at: str) -> Amended | None:
    """Return how a later commit of the same project changes an amount that a text or talk states, None if it does not.

    Both are about the same by the words of a sentence of the message and of an exchange with the one before it. A
    commit within LATER_HOURS records what the talk agreed on.
    """
    said, committed = clock.parsed(said_at), clock.parsed(committed_at)
    if not (said and committed and committed - said >= timedelta(hours=LATER_HOURS)):
        return None
    known, parts, exchanges = _exchanges(text)
    every = _parts(message)
    best, found = 0, None
    for number, (sentence, topic, amounts) in enumerate(_committed(message)):
        kinds = {kind for kind, _ in amounts - known}
        if not kinds or 2 * len(topic & parts) + 2 * len(amounts) < len(topic):
            continue
        for exchange, around, told in exchanges:
            shared = len(topic & around)
            # "for a year" changes "after 90 days" if both are about the same in more words.
            is_time = shared > SUBJECT_SHARED and any(kind.startswith(_DURATION) for kind in kinds)
            earlier = {
                one for one in told if one[0] in kinds or (is_time and one[0].startswith(_DURATION))
            }
            near = shared + len(earlier & amounts)
            is_about = not number and near > 0 and len(every & around) >= MESSAGE_SHARED
            is_about = is_about or near >= SUBJECT_SHARED
            if earlier and is_about and 2 * near >= len(topic) and near > best:
                lines = [one for one in exchange.splitlines() if _amounts(one) & earlier]
                line = max(lines, key=lambda one: (not _TRACE.match(one), len(_parts(one) & topic)))
                best, found = near, Amended(read.SPEAKER.sub("", line), sentence, near / len(topic))
    return found


def by_setting(before: Mapping[str, "Assigned"], after: Mapping[str, "Assigned"]) -> Amended | None:
    """Return how a later talk of the same project gives another value to a setting of an earlier one, None without.

    `old` and `new` are the lines. Of several settings the last one of the later talk counts.
    """
    changed = [name for name in after if name in before and before[name].value != after[name].value]
    return Amended(before[changed[-1]].line, after[changed[-1]].line, 1.0) if changed else None


class Assigned(NamedTuple):
    """The last value of a setting in a talk, and its line."""

    value: str
    line: str


@lru_cache(maxsize=1_024)
def settings(text: str) -> Mapping[str, Assigned]:
    """Return the settings that the speakers of a talk name, but not tools and fenced code."""
    found: dict[str, Assigned] = {}
    for line in FENCE.sub("", text).splitlines():
        for match in () if line.startswith(("Tool:", ">")) else _SETTING.finditer(line):
            name, value = (match[1], match[2]) if match[1] else (match[3], match[4])
            if not _RESULT.search(name):
                found.pop(name.lower(), None)
                found[name.lower()] = Assigned(value.strip("\"' "), read.SPEAKER.sub("", line))
    return found


class _Exchanges(NamedTuple):
    """The amounts and stems of a text; its exchanges, each with the stems of it and the one before, and its amounts."""

    amounts: frozenset[tuple[str, str]]
    parts: frozenset[str]
    each: Sequence[tuple[str, frozenset[str], frozenset[tuple[str, str]]]]


@lru_cache(maxsize=1_024)
def _exchanges(text: str) -> _Exchanges:
    every = _USERS.split(text)
    parts = [_parts(one) for one in every]
    around = [one | before for one, before in zip(parts, [frozenset[str](), *parts], strict=False)]
    amounts = list(map(_amounts, every))
    each = list(zip(every, around, amounts, strict=True))
    return _Exchanges(_amounts(text), frozenset().union(*parts), each)


@lru_cache(maxsize=1_024)
def _committed(message: str) -> Sequence[tuple[str, frozenset[str], frozenset[tuple[str, str]]]]:
    """Return the sentences of a commit's message with amounts, the subject first, each with its stems and amounts.

    An amount without a unit has that of another one in the sentence: "20 minutes instead of 12".
    """
    found = []
    for said in [one.strip() for one in read.SENTENCE.split(message.strip())]:
        amounts = _amounts(said)
        units = sorted({kind for kind, _ in amounts} - {"number"})
        if len(units) == 1:
            amounts = frozenset([(units[0], value) for _, value in amounts])
        found.append((said, _parts(said), amounts))
    return found


@lru_cache(maxsize=4_096)
def _parts(text: str) -> frozenset[str]:
    """Return the stems of a text's words and of parts of its identifiers, without numbers and units."""
    words = [part.lower() for part in _PART.findall(text)]
    plain = (
        read.IDLE
        | read.NUMBERS
        | read.PLACES
        | read.UNITS.keys()
        | read.OFTEN
        | {"instead", "every", "ever"}
    )
    said = [word.removesuffix("s") for word in words if word not in plain and len(word) > 1]
    return frozenset(map(read.stem_of, said))


@lru_cache(maxsize=4_096)
def _amounts(text: str) -> frozenset[tuple[str, str]]:
    """Return the amounts of a text, each with its kind: `time`, the unit next to it, else `number`."""
    tokens = ["", *_AMOUNT.findall(text.lower()), ""]
    found: set[tuple[str, str]] = set()
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        unit = next((one for one in (after, before) if one in read.UNITS), "")
        kind = read.UNITS.get(unit, "number")
        if kind == "duration":
            kind = _DURATION + (unit if unit in ("ms", "months") else unit[0])
        if token[:1].isdigit():
            is_time = ":" in token.strip(":") or after in read.CLOCK
            found.add(("time" if is_time else kind, re.sub("[_,]", "", token.rstrip(".:_,"))))
        elif token in _WHOLE and after in read.UNITS:
            found.add((kind, "1"))
        elif (token in read.NUMBERS and unit) or (token == "half" and after in read.ARTICLES):
            found.add((kind, token))
    return frozenset(found)
