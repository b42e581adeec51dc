"""Select single messages of earlier sessions, and commits, that answer a question.

A bug report needs the part of a conversation that solved the problem (`episodes/brief.py`). A question ("when did I
hurt my shoulder?") needs a few messages, which may be spread over several conversations, between long answers of an
agent. So each message has its own score, from its chunk (`prompt.py`), its words, the words of its neighbours, and,
where the agent writes most, whether the user wrote it.

The constants were chosen on one half of the conversations of LoCoMo and BEAM and judged by the other (decision 57).
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from signet.domain.episodes import brief, fence, outcome, search, split
from signet.domain.episodes.brief import LEFT_OUT, Stretch
from signet.domain.episodes.models import FoundRow, Match, Source, SourceType, is_given
from signet.domain.recall import prompt, rank, tuning
from signet.text import orders

#: Most characters of a person's turn, of an agent's, and of one without a query word or next to an answer.
PERSON_CHARS, AGENT_CHARS, BESIDE_CHARS = 700, 300, 200
#: A shorter message cannot be understood without the message before it.
LEAST_CHARS = 15
#: A shorter line may occur twice: it says little, like the end of a code block.
LINE_CHARS = 25
#: Characters of the omission mark between turns, with its line break.
GAP = len(LEFT_OUT) + 1

_SPEAKER = re.compile(rf"(User|Assistant)(?!{re.escape(split.CONTINUED)})[^:\n]{{0,60}}: ")
_PERSON = "User"


class QuestionWord(NamedTuple):
    """A query word by its stem, and its weight."""

    stem: str
    tells: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _Turn:
    """A turn and its place in a chunk."""

    row: FoundRow
    place: int
    #: Whether it is the last of its chunk.
    is_last: bool
    text: str
    #: The label that it needs to stand alone.
    label: str
    speaker: str | None
    #: The query words that it contains.
    words: frozenset[QuestionWord]
    #: The score of its chunk.
    score: float

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """Return a key that identifies the turn."""
        row = self.row
        return row.source_type, row.source_id, row.project, row.position, self.place

    @cached_property
    def source(self) -> Source:
        """Return the source of the turn."""
        return self.row.source

    @cached_property
    def name(self) -> str:
        """Return the turn's name in a session's record."""
        return self.source.part(self.row.position, self.place)

    def is_told(self, given: Collection[str]) -> bool:
        """Return whether a session with these items may receive it: it gives agents no instructions, and is new."""
        if is_given(self.name, given) or f"episode:{self.source.name}" in given:
            return False
        is_agents = self.row.source_type == SourceType.SESSION and self.speaker != _PERSON
        return not self.is_unasked and not (is_agents and orders.steers(self.text))

    @cached_property
    def is_unasked(self) -> bool:
        """Return whether it contains lines of tools that the prompt does not ask about."""
        return split.is_tools(self.text) and len(self.words) < brief.ASKED_OF_TOOLS

    @property
    def may_answer(self) -> bool:
        """Return whether it is worth its space: it contains a query word, or is short and more than "ok, thanks"."""
        is_short = len(self.text) <= BESIDE_CHARS
        return bool(self.words) or (
            is_short and len(search.LABEL.sub("", self.text)) >= LEAST_CHARS
        )

    def follows(self, other: "_Turn | None") -> bool:
        """Return whether it directly follows another turn; after None, whether it is the first of all."""
        if other is None:
            return self.row.position == self.place == 0
        *chunk, position, place = other.key
        after = (*chunk, position + 1, 0) if other.is_last else (*chunk, position, place + 1)
        return self.key == after

    def shown(self, asked: Sequence[str], *, most: int, is_answer: bool) -> str:
        """Return its text; of a long one the sentences with most of these words."""
        usual = PERSON_CHARS if self.speaker == _PERSON else AGENT_CHARS
        return _shortened(self.text, asked, min(most, usual if is_answer else BESIDE_CHARS))


def find(
    needed: prompt.Needed,
    question: str,
    *,
    given: Collection[str] = (),
    told: Sequence[str] = (),
    chars: int,
) -> list[Stretch]:
    """Return the turns that a prompt needs by source, that of the best first; empty without any.

    With their headings they have at most `chars` characters. `given` are names of parts that the session received,
    `told` are texts that it receives now; both are left out.
    """
    words = [QuestionWord(search.stem(word), tells) for word, tells in needed.words.items()]
    found = [
        turn
        for row, score in needed.chunks[: tuning.TURN_CHUNKS]
        for turn in _turns(row, score, words)
    ]
    worth = {
        one: score
        for one, score in _once_each(_ranked(found, words)).items()
        if not any(one.text in text for text in told)
    }
    asked = list(needed.words)
    kept = _fitting(worth, asked, given, chars)
    said: set[str] = set()
    for text in told:
        _once(text, said)
    shown = [
        _stretch({one: brief.untold(_once(text, said), given) for one, text in turns.items()})
        for turns in kept
    ]
    return [one for one in shown if brief.says_something(one.text)]


def _once_each(worth: Mapping[_Turn, float]) -> dict[_Turn, float]:
    """Drop copies of an earlier turn: forks of a session begin with the same turns.

    The other turns of a fork count only with a query word, because their weight comes from the copies around them.
    """
    first: dict[str, _Turn] = {}
    for one in sorted(worth, key=lambda one: one.row.said_at):
        if len(one.text) >= brief.REPEAT_CHARS:
            first.setdefault(one.text, one)
    copies = {one for one in worth if first.get(one.text, one) is not one}
    forks = {one.source for one in copies}
    return {
        one: score
        for one, score in worth.items()
        if one not in copies and (one.words or one.source not in forks)
    }


def _turns(row: FoundRow, score: float, words: Sequence[QuestionWord]) -> Iterator[_Turn]:
    """Yield the turns of a chunk; a commit is one."""
    is_talk = row.source_type == SourceType.SESSION
    texts = (
        split.turns(brief.without_code(row.content))
        if is_talk
        else [brief.unsteered(row.content, SourceType.COMMIT)]
    )
    labels = split.speakers(texts) if is_talk else [""]
    for place, (text, label) in enumerate(zip(texts, labels, strict=True)):
        named = _SPEAKER.match(text)
        if text.strip():
            yield _Turn(
                row=row,
                place=place,
                is_last=place + 1 == len(texts),
                text=text,
                label=label,
                speaker=named[1] if named else None,
                words=_held(words, search.unlabelled(text)),
                score=score,
            )


def _ranked(found: Sequence[_Turn], words: Sequence[QuestionWord]) -> dict[_Turn, float]:
    """Return the weight of each turn, best first."""
    order = sorted(found, key=attrgetter("key"))
    total = _weight(words) or 1.0
    held = [_weight(one.words) / total for one in order]
    beside = [0.0] * len(order)
    for at, (one, other) in enumerate(pairwise(order)):
        if other.follows(one):
            beside[at] = max(beside[at], held[at + 1])
            beside[at + 1] = max(beside[at + 1], held[at])
    lead = _lead_of_agents(order)
    worth = {
        one: one.score
        + tuning.TURN_WORDS * own
        + tuning.TURN_NEIGHBOUR * near
        + lead * _speaking(one)
        for one, own, near in zip(order, held, beside, strict=True)
    }
    return dict(sorted(worth.items(), key=lambda pair: pair[1], reverse=True))


def _lead_of_agents(found: Sequence[_Turn]) -> float:
    """Return how far agents dominate: 0 if people write half of the text, 1 if they write none."""
    said = math.fsum(len(one.text) for one in found)
    people = math.fsum(len(one.text) for one in found if one.speaker == _PERSON)
    return max(0.0, 1 - 2 * people / (said or 1))


def _speaking(one: _Turn) -> float:
    if one.row.source_type != SourceType.SESSION:
        return 0.0
    return (
        tuning.TURN_PERSON
        if one.speaker == _PERSON
        else tuning.TURN_LATER_PART
        if one.speaker is None
        else 0.0
    )


def _held(words: Sequence[QuestionWord], folded: str) -> frozenset[QuestionWord]:
    return frozenset(one for one in words if one.stem in folded)


def _weight(words: Collection[QuestionWord]) -> float:
    return math.fsum(one.tells for one in words)


def _fitting(
    worth: Mapping[_Turn, float], asked: Sequence[str], given: Collection[str], chars: int
) -> list[dict[_Turn, str]]:
    """Return for each source the best turns that fit, in displayed form; the very best with its neighbours."""
    least = max(worth.values(), default=0.0) - tuning.TURN_WITHIN
    by_key = {one.key: one for one in worth}
    told: dict[Source, dict[_Turn, str]] = {}
    seen: set[_Turn] = set()
    for number, best in enumerate(one for one in worth if worth[one] >= least and one.may_answer):
        if best in seen or not best.is_told(given):
            continue
        others = [by_key.get((*best.key[:-1], best.place + step)) for step in (-1, 1)]
        if others[0] and others[0].is_unasked:
            others[0] = by_key.get((*best.key[:-1], best.place - 2))
        beside = [one for one in others if one and number == 0 and one.is_told(given)]
        heading = 0 if best.source in told else brief.size(_stretch({best: ""}))
        for group in ([best, *beside], [best]):
            new = {
                one: one.shown(asked, most=chars - 2 * GAP - len(one.label), is_answer=one is best)
                for one in group
                if one not in seen
            }
            size = sum(
                len(one.label) + len(fence.clean(text)) + 1 + GAP for one, text in new.items()
            )
            if size + heading <= chars:
                told.setdefault(best.source, {}).update(new)
                seen.update(new)
                chars -= size + heading
                break
    return list(told.values())


def _once(text: str, said: set[str]) -> str:
    """Replace lines that were already shown by a mark, and record the others."""
    lines: list[str] = []
    for line in text.split("\n"):
        is_known = len(line) >= LINE_CHARS and line in said
        said.add(line)
        if not is_known:
            lines.append(line)
        elif not lines or lines[-1] != LEFT_OUT:
            lines.append(LEFT_OUT)
    return "\n".join(lines)


def _stretch(turns: Mapping[_Turn, str]) -> Stretch:
    """Return the turns of one source, given best first, in their order, with omission marks."""
    order = sorted(turns, key=lambda one: (one.row.position, one.place))
    best = next(iter(turns))
    lines: list[str] = []
    for before, one in zip([None, *order], order, strict=False):
        follows = one.follows(before)
        lines += [turns[one]] if follows else [LEFT_OUT, one.label + turns[one]]
    match = Match(
        source=best.source,
        position=best.row.position,
        score=rank.relevance(max(one.score for one in turns)),
        said_at=best.row.said_at,
        is_asked=True,
    )
    return Stretch(match=match, text="\n".join(lines), parts=[one.name for one in order])


def _shortened(text: str, asked: Sequence[str], most: int) -> str:
    """Return a turn, or of a long one the sentences that fit with most of these words, in their order."""
    if len(text) <= most:
        return text
    named = _SPEAKER.match(text)
    speaker = named[0] if named else ""
    sentences = split.sentences(text[len(speaker) :])
    worth = [
        search.shared_words(asked, one) + tuning.TURN_OUTCOME * outcome.is_outcome(one)
        for one in sentences
    ]
    kept: set[int] = set()
    for at in sorted(range(len(sentences)), key=worth.__getitem__, reverse=True):
        if len(sentences[at]) <= most:
            kept.add(at)
            most -= len(sentences[at]) + len(LEFT_OUT) + 2
    if not kept:
        return text[:most] + LEFT_OUT
    places = sorted(kept)
    said = sentences[places[0]]
    for before, at in pairwise(places):
        said += f" {sentences[at]}" if at == before + 1 else f" {LEFT_OUT} {sentences[at]}"
    return speaker + said
