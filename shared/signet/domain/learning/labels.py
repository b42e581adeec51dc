"""Label the memories of a session by their use: corrections, ratings and repeated questions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from signet import resources
from signet.db import fts
from signet.domain.episodes import search
from signet.domain.injections.models import ItemKind, Phase, tokens
from signet.domain.injections.models import Reason as Why
from signet.domain.injections.show import Given, was_received, was_used
from signet.domain.transcripts import transcript
from signet.text import patterns


class LabelReason(StrEnum):
    """The reason for a label, the strongest first; the strings are stored."""

    CORRECTED = "corrected"
    FORGOTTEN = "forgotten"
    RATED = "rated"
    USED = "used"
    #: It was omitted, but its content was used anyway.
    MISSED = "missed"
    ASKED_AGAIN = "asked_again"
    SILENT = "silent"


#: The label and its weight; for a rating, the rating.
LABEL_VALUES = {
    LabelReason.CORRECTED: (-1.0, 1.0),
    LabelReason.FORGOTTEN: (-1.0, 1.0),
    LabelReason.USED: (1.0, 1.0),
    LabelReason.MISSED: (1.0, 1.0),
    LabelReason.ASKED_AGAIN: (-0.5, 1.0),
    LabelReason.SILENT: (0.0, 0.0),
}
RATING_WEIGHT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A session's label of a memory, -1..1, and its weight; `place` is JSON with the position."""

    memory_id: str
    label: float
    weight: float
    reason: LabelReason
    place: str | None = None
    was_given: bool = True


class Worth(NamedTuple):
    """The sum of a memory's labels: it helped in `helped` of `times` sessions.

    `learned` and `rated` are factors of its score: from sessions (0.85..1.15), and from agents' ratings (0.3..1).
    """

    helped: int = 0
    times: int = 0
    learned: float = 1.0
    rated: float = 1.0


#: Characters of a message to read, because corrections come at its start.
READ_CHARS = 2_000
#: Minimum of common words in a correction, and minimum share of the corrected text's words.
LEAST_SHARED, SHARE_OF_TEXT = 2, 0.5
#: Minimum of common words in a repeated question, and minimum share of either's words.
LEAST_ASKED, SHARE_OF_QUESTION = 3, 0.7

_TABLE = resources.table(__file__)
#: Denials at the start of a message, and corrections in seven languages.
_NO = patterns.lazy("".join(_TABLE["no"].splitlines()), re.I)
_CORRECTS = patterns.lazy(
    "|".join(line for one in _TABLE["corrects"].values() for line in one.splitlines()), re.I
)


def corrects(message: str, before: str = "") -> bool:
    """Return whether a message corrects something; "no" does not count after a question in `before`."""
    if _NO.search(message) and not before.rstrip().endswith(("?", "？")):
        return True
    return _CORRECTS.search(message[:READ_CHARS]) is not None


def is_about(message: str, text: str) -> bool:
    """Return whether a message contains at least half of a text's words."""
    words = fts.content_words(text[:READ_CHARS])
    shared = search.shared_words(words, message[:READ_CHARS])
    return shared >= max(LEAST_SHARED, SHARE_OF_TEXT * len(words))


def asks_the_same(message: str, before: str) -> bool:
    """Return whether a message repeats an earlier question."""
    new, old = (fts.content_words(one[:READ_CHARS]) for one in (message, before))
    return _holds(new, before) and _holds(old, message)


def _holds(words: Sequence[str], text: str) -> bool:
    shared = search.shared_words(words, text[:READ_CHARS])
    return shared >= max(LEAST_ASKED, SHARE_OF_QUESTION * len(words))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvidence:
    """Facts about a session besides its injections, by memory."""

    texts: Mapping[str, str] = field(default_factory=dict)
    ratings: Mapping[str, float] = field(default_factory=dict)
    #: Memories that were changed, forgotten or called wrong.
    corrected: frozenset[str] = frozenset()
    forgotten: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOutcome:
    """The outcome of a session: corrections, repeated questions, injected and used memories.

    `missed` counts omitted memories that were used anyway; tokens are an estimate, of four characters each.
    """

    project: str | None
    is_held_out: bool
    prompts: int
    corrections: int
    asked_again: int
    given: int
    used: int
    missed: int
    tokens: int
    tokens_used: int
    created_at: str


def session_labels(found: Given, known: SessionEvidence) -> list[Label]:
    """Return the label of each memory that the session received, could have received, or has rated."""
    said = _user_messages(found)
    again = _asked_again(said)
    labels = [_label(found, known, one, said, again) for one in found.memories]
    names = set(found.memories)
    rated = (one for one in known.ratings if one not in names)
    return [*labels, *(_rated(one, known.ratings[one], was_given=True) for one in rated)]


def outcome(found: Given) -> SessionOutcome:
    said = _user_messages(found)
    seen: dict[tuple[str, str], tuple[bool, bool]] = {}
    for one in found.items:
        given, used = seen.get((one.kind, one.source_id), (False, False))
        seen[one.kind, one.source_id] = (given or was_received(one), used or was_used(one))
    used_chars = sum(one.chars for one in found.items if one.is_given and was_used(one))
    return SessionOutcome(
        project=found.project,
        is_held_out=any(one.reason == Why.HELD_OUT for one in found.items),
        prompts=len(said),
        corrections=len(_corrections(found, said)),
        asked_again=len(_asked_again(said)),
        given=sum(given for given, _ in seen.values()),
        used=sum(given and used for given, used in seen.values()),
        missed=sum(used and not given for given, used in seen.values()),
        tokens=tokens(sum(one.chars for one in found.items if one.is_given)),
        tokens_used=tokens(used_chars),
        created_at=found.injections[0].created_at,
    )


def _user_messages(found: Given) -> dict[int, str]:
    turns = enumerate(found.turns)
    return {number: turn.text for number, turn in turns if turn.role == transcript.USER}


def _corrections(found: Given, said: Mapping[int, str]) -> list[int]:
    """Return the numbers of the user's messages that call something wrong."""
    return [
        number
        for number, text in said.items()
        if number and corrects(text, found.turns[number - 1].text)
    ]


def _asked_again(said: Mapping[int, str]) -> dict[int, int]:
    """Map the turn of each repeated question to the turn that asked it first."""
    asked: dict[int, int] = {}
    for number, text in said.items():
        before = (one for one in said if one < number)
        first = next((one for one in before if asks_the_same(text, said[one])), None)
        if first is not None:
            asked[number] = first
    return asked


def _label(
    found: Given,
    known: SessionEvidence,
    memory_id: str,
    said: Mapping[int, str],
    again: Mapping[int, int],
) -> Label:
    items = [
        one for one in found.items if (one.kind, one.source_id) == (ItemKind.MEMORY, memory_id)
    ]
    was_given = any(map(was_received, items))
    start = min(found.starts[one.injection_seq] for one in items)
    wrong = _corrections(found, said) if was_given else []
    taken_back = (
        next(_corrections_of(known, memory_id, said, wrong, start), None) if was_given else None
    )
    if taken_back is not None:
        reason, turn = taken_back
        return _of(memory_id, reason, _turn(turn))
    if memory_id in known.ratings:
        return _rated(memory_id, known.ratings[memory_id], was_given=was_given)
    use = next(filter(was_used, items), None)
    if use is not None:
        reason = LabelReason.USED if was_given else LabelReason.MISSED
        return _of(memory_id, reason, use.used_in, was_given=was_given)
    starts = {
        found.starts[one.injection_seq]
        for one in items
        if one.is_given and _phase(found, one.injection_seq) == Phase.PROMPT
    }
    turn = next((number for number, first in again.items() if first in starts), None)
    if turn is not None:
        return _of(memory_id, LabelReason.ASKED_AGAIN, _turn(turn))
    return _of(memory_id, LabelReason.SILENT, None, was_given=was_given)


def _corrections_of(
    known: SessionEvidence,
    memory_id: str,
    said: Mapping[int, str],
    wrong: Sequence[int],
    start: int,
) -> Iterator[tuple[LabelReason, int | None]]:
    """Yield why a memory counts as wrong, and the number of the message."""
    if memory_id in known.forgotten:
        yield LabelReason.FORGOTTEN, None
    text = known.texts.get(memory_id)
    for number in wrong if text else ():
        if number > start and is_about(said[number], str(text)):
            yield LabelReason.CORRECTED, number
    if memory_id in known.corrected:
        yield LabelReason.CORRECTED, None


def _phase(found: Given, seq: int) -> str:
    return next(one.phase for one in found.injections if one.seq == seq)


def _rated(memory_id: str, rating: float, *, was_given: bool) -> Label:
    return Label(
        memory_id=memory_id,
        label=rating,
        weight=RATING_WEIGHT,
        reason=LabelReason.RATED,
        was_given=was_given,
    )


def _turn(number: int | None) -> str | None:
    return None if number is None else json.dumps({"turn": number})


def _of(memory_id: str, reason: LabelReason, place: str | None, *, was_given: bool = True) -> Label:
    label, weight = LABEL_VALUES[reason]
    return Label(
        memory_id=memory_id,
        label=label,
        weight=weight,
        reason=reason,
        place=place,
        was_given=was_given,
    )
