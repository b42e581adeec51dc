"""Derive a label for each memory of a session from its injections, their use, and later events. Pure.

The strongest sign counts, one per memory and session: a correction by the user or agent, the agent's rating, use, a
repeated question. No sign gives no label (PR-12).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from signet.domain.injections.given import Given, was_received, was_used
from signet.domain.injections.models import Kind, Phase, tokens
from signet.domain.injections.models import Reason as Why
from signet.domain.learning import signs
from signet.domain.learning.models import LABELS, RATING_WEIGHT, Label, Reason
from signet.domain.transcripts import transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Facts about a session besides its injections, by memory."""

    texts: Mapping[str, str] = field(default_factory=dict)
    ratings: Mapping[str, float] = field(default_factory=dict)
    #: Memories that were changed, forgotten or called wrong.
    corrected: frozenset[str] = frozenset()
    forgotten: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
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


def of_session(found: Given, known: Evidence) -> list[Label]:
    """Return the label of each memory that the session received, could have received, or has rated."""
    said = _user_messages(found)
    again = _asked_again(said)
    labels = [_label(found, known, one, said, again) for one in found.memories]
    names = set(found.memories)
    rated = (one for one in known.ratings if one not in names)
    return [*labels, *(_rated(one, known.ratings[one], was_given=True) for one in rated)]


def outcome(found: Given) -> Outcome:
    """Return the outcome of a session."""
    said = _user_messages(found)
    seen: dict[tuple[str, str], tuple[bool, bool]] = {}
    for one in found.items:
        given, used = seen.get((one.kind, one.source_id), (False, False))
        seen[one.kind, one.source_id] = (given or was_received(one), used or was_used(one))
    used_chars = sum(one.chars for one in found.items if one.is_given and was_used(one))
    return Outcome(
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
    """Return the user's messages by number."""
    turns = enumerate(found.turns)
    return {number: turn.text for number, turn in turns if turn.role == transcript.USER}


def _corrections(found: Given, said: Mapping[int, str]) -> list[int]:
    """Return the numbers of the user's messages that call something wrong."""
    return [
        number
        for number, text in said.items()
        if number and signs.corrects(text, found.turns[number - 1].text)
    ]


def _asked_again(said: Mapping[int, str]) -> dict[int, int]:
    """Return repeated questions by number, with the number of the first one."""
    asked: dict[int, int] = {}
    for number, text in said.items():
        before = (one for one in said if one < number)
        first = next((one for one in before if signs.asks_the_same(text, said[one])), None)
        if first is not None:
            asked[number] = first
    return asked


def _label(
    found: Given,
    known: Evidence,
    memory_id: str,
    said: Mapping[int, str],
    again: Mapping[int, int],
) -> Label:
    items = [one for one in found.items if (one.kind, one.source_id) == (Kind.MEMORY, memory_id)]
    was_given = any(map(was_received, items))
    start = min(found.starts[one.injection_seq] for one in items)
    wrong = _corrections(found, said) if was_given else []
    taken_back = (
        next(_corrections_of(known, memory_id, said, wrong, start), None) if was_given else None
    )
    if taken_back is not None:
        reason, turn = taken_back
        return _of(memory_id, reason, turn)
    if memory_id in known.ratings:
        return _rated(memory_id, known.ratings[memory_id], was_given=was_given)
    use = next(filter(was_used, items), None)
    if use is not None:
        reason = Reason.USED if was_given else Reason.MISSED
        label, weight = LABELS[reason]
        return Label(
            memory_id=memory_id,
            label=label,
            weight=weight,
            reason=reason,
            place=use.used_in,
            was_given=was_given,
        )
    starts = {
        found.starts[one.injection_seq]
        for one in items
        if one.is_given and _phase(found, one.injection_seq) == Phase.PROMPT
    }
    turn = next((number for number, first in again.items() if first in starts), None)
    if turn is not None:
        return _of(memory_id, Reason.ASKED_AGAIN, turn)
    return _of(memory_id, Reason.SILENT, None, was_given=was_given)


def _corrections_of(
    known: Evidence, memory_id: str, said: Mapping[int, str], wrong: Sequence[int], start: int
) -> Iterator[tuple[Reason, int | None]]:
    """Yield why a memory counts as wrong, and the number of the message."""
    if memory_id in known.forgotten:
        yield Reason.FORGOTTEN, None
    text = known.texts.get(memory_id)
    for number in wrong if text else ():
        if number > start and signs.is_about(said[number], str(text)):
            yield Reason.CORRECTED, number
    if memory_id in known.corrected:
        yield Reason.CORRECTED, None


def _phase(found: Given, seq: int) -> str:
    return next(one.phase for one in found.injections if one.seq == seq)


def _rated(memory_id: str, rating: float, *, was_given: bool) -> Label:
    return Label(
        memory_id=memory_id,
        label=rating,
        weight=RATING_WEIGHT,
        reason=Reason.RATED,
        was_given=was_given,
    )


def _of(memory_id: str, reason: Reason, turn: int | None, *, was_given: bool = True) -> Label:
    label, weight = LABELS[reason]
    place = None if turn is None else json.dumps({"turn": turn})
    return Label(
        memory_id=memory_id,
        label=label,
        weight=weight,
        reason=reason,
        place=place,
        was_given=was_given,
    )
