"""The turns of earlier sessions that answer a question, and commits: single ones, word for word.

A report of a fault needs the stretch of talk in which its matter was settled (`episodes/brief.py`). A question ("when
did I hurt my shoulder?") needs the few turns that say so, and these may stand in several talks, between long answers of
an agent that nobody needs twice. So each turn is judged by itself, as recall ranks memories (`blend.py`,
`neighbours.py`): by its words, by the vector of its chunk, by the turns beside it and the best of its session; and by
who speaks where an agent says most: what a person said is known from nowhere else.

The constants were chosen on one half of the conversations of LoCoMo and BEAM and judged by the other (decisions 44
and 46).
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from signet.db import ReadTx, fts, script
from signet.db.visibility import Reader
from signet.domain.embeddings import passages
from signet.domain.episodes import brief, fence, outcome, search, split
from signet.domain.episodes.brief import LEFT_OUT, Stretch
from signet.domain.episodes.models import FoundRow, Match, Source, SourceType
from signet.domain.recall import answer_type, blend, cutoff, neighbours, rank
from signet.domain.recall.answer_type import QUESTION_MARKS
from signet.text import orders

#: A longer prompt, or one that points at what is in front of it, is about the work at hand.
QUESTION_CHARS = 300
#: How relevant the best turn is at least, to a question about what was, or about what is the person's own ("what did we
#: decide?", "my deadline"), and to any other, which may be one of general knowledge ("how do I undo a commit?").
LEAST_EARLIER, LEAST = 0.38, 0.45
#: To a request of so many words, which must be as near to a chunk as a report (decision 46).
LEAST_REQUEST, REQUEST_WORDS = 0.43, 6
#: So much more where its chunk is farther than this cosine.
FAR, NEAR = 0.07, 0.27
#: A further turn has this share of the best one's worth.
NEARLY = 0.6
#: What the cosine of its chunk counts in the worth of a turn; the rest are its words.
MEANING = 0.7
#: What a turn of a person is worth more, and what a later part of one that was cut into chunks is worth less, where all
#: is said by an agent; where people say half it makes no difference who speaks.
PERSON, LATER_PART = 0.15, -0.1
#: Most characters of a turn of a person, of an agent, and of one that stands beside an answer or holds no word of it.
PERSON_CHARS, AGENT_CHARS, BESIDE_CHARS = 700, 300, 200
#: A line that is shorter may come twice: it says little, like the end of a block of code.
LINE_CHARS = 25
#: Characters of the mark between turns that do not follow each other, with its line break.
GAP = len(LEFT_OUT) + 1
#: Chunks that are read: so many of the nearest by words and by meaning.
READ = 24
#: What a sentence that states an outcome counts, in words of the question.
OUTCOME_WORDS = 3

_QUESTION = re.compile(
    r"(?:please )?(?:remind me|tell me|do you (?:remember|recall)"
    r"|(?:what|when|where|who|which|why|how) (?:\w+ ){0,6}?(?:did|was|were|had|has|have|do|does|is|are))\b[^.!?\n]*",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:did|was|were|had|ago|yesterday|last (?:week|month|year|time|night|\w+day)|my|our|we|i['’]ve"
    r"|(?:has|have) (?:i|you|he|she|they|anyone)|i (?:\w+ )?(?:said|mentioned|told|asked|decided|chose|planned))\b",
    re.IGNORECASE,
)
#: A request that points at what was said before asks for it.
_REFERS = re.compile(
    r"\b(?:I(?: \w+)?|we(?: \w+)?) (?:said|told|mentioned|decided|agreed|discussed|chose|settled|planned|talked)\b"
    r"|\b(?:yesterday|the other day|last (?:week|month|time|session|\w+day)|as before|remember)\b",
    re.IGNORECASE,
)
_AT_HAND = re.compile(
    r"\b(?:(?:this|these)(?! (?:project|repo|week|month|year|session))|here|right now)\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"(User|Assistant)[^:\n]{0,60}: ")
_PERSON = "User"


class Word(NamedTuple):
    """A word of the question by its stem, and how much it tells."""

    stem: str
    tells: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _Turn:
    """A turn and its place in a chunk; `relevance` says whether it may be an answer at all."""

    row: FoundRow
    place: int
    #: Whether it is the last of its chunk.
    is_last: bool
    text: str
    speaker: str | None
    #: The words of the question that it holds.
    words: frozenset[Word]
    #: That of its chunk.
    cosine: float
    relevance: float

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """Return what tells it from every other turn."""
        return *_place(self.row), self.place

    @cached_property
    def source(self) -> Source:
        """Return what it was said in."""
        return source_of(self.row)

    @cached_property
    def name(self) -> str:
        """Return by what a session knows that it was told this."""
        return self.source.part(self.row.position, self.place)

    def is_told(self, given: Collection[str]) -> bool:
        """Return whether it may be told to a session that was given these: it steers no agent, and is new."""
        if self.name in given or f"episode:{self.source.name}" in given:
            return False
        is_agents = self.row.source_type == SourceType.SESSION and self.speaker != _PERSON
        return not (is_agents and orders.steers(self.text))

    @property
    def may_answer(self) -> bool:
        """Return whether it is worth its room: it holds a word of the question, or is short."""
        return bool(self.words) or len(self.text) <= BESIDE_CHARS

    def follows(self, other: "_Turn | None") -> bool:
        """Return whether it stands straight behind another turn, behind none at the beginning of all."""
        if other is None:
            return self.row.position == self.place == 0
        *chunk, position, place = other.key
        after = (*chunk, position + 1, 0) if other.is_last else (*chunk, position, place + 1)
        return self.key == after

    def shown(self, asked: Sequence[str], *, most: int, is_answer: bool) -> str:
        """Return its text, of a long one the sentences that hold most of these words."""
        usual = PERSON_CHARS if self.speaker == _PERSON else AGENT_CHARS
        return _shortened(self.text, asked, min(most, usual if is_answer else BESIDE_CHARS))


def asks(prompt: str) -> bool:
    """Return whether a prompt asks, in few words, for something that may have been said before."""
    said = prompt.strip()
    if len(said) > QUESTION_CHARS or _AT_HAND.search(said):
        return False
    return said.endswith(QUESTION_MARKS) or _QUESTION.fullmatch(said) is not None


def find(
    tx: ReadTx,
    question: str,
    *,
    vector: bytes | None,
    reader: Reader,
    project: str | None,
    but: str | None = None,
    commits: bool = True,
    given: Collection[str] = (),
    told: Sequence[str] = (),
    chars: int,
    each: int | None = None,
    is_about: bool = False,
) -> list[Stretch]:
    """Return the turns that answer a question under their sources, that of the best first; empty for none.

    They fit in so many characters with their headings, those of one source in `each`. `given` are names of what a
    session was told, `told` texts that it is told now; both are left out. `is_about` says that the question is known to
    be about earlier work. The other arguments are those of `episodes.search.find`. To the model that is installed any
    two texts of Chinese, Japanese or Korean are near, so these questions find nothing.
    """
    asked = fts.content_words(answer_type.matter(question))
    if vector is None or not asked or script.has_runs(question):
        return []
    chunks = partial(
        search.said, tx, fts.any_of(asked), reader=reader, project=project, but=but, commits=commits
    )
    near = _nearest([chunks(spoken=True), chunks()], vector)
    words = words_of(tx, asked)
    found = [turn for row, cosine in near for turn in _judged(row, cosine, words)]
    if not (is_about or _may_answer(found, question, asked)):
        return []
    worth = {
        one: score
        for one, score in _once_each(_ranked(found, words)).items()
        if not any(one.text in text for text in told)
    }
    kept = _fitting(worth, asked, given, chars, each or chars)
    said: set[str] = set()
    for text in told:
        _once(text, said)
    shown = [_stretch({one: _once(text, said) for one, text in turns.items()}) for turns in kept]
    return [one for one in shown if brief.says_something(one.text)]


def _once_each(worth: Mapping[_Turn, float]) -> dict[_Turn, float]:
    """Return the turns without copies of a better one: forks of a session have the same beginning.

    The other turns of a fork count only with a word of the question: their worth comes from the copies around them.
    """
    best: dict[str, _Turn] = {}
    for one in worth:
        if len(one.text) >= brief.REPEAT_CHARS:
            best.setdefault(one.text, one)
    copies = {one for one in worth if best.get(one.text, one) is not one}
    forks = {one.source for one in copies}
    return {
        one: score
        for one, score in worth.items()
        if one not in copies and (one.words or one.source not in forks)
    }


def _may_answer(found: Sequence[_Turn], question: str, asked: Sequence[str]) -> bool:
    """Return whether the best of the turns is relevant enough to what is asked, and near enough to a request."""
    best = max(found, key=attrgetter("relevance"), default=None)
    if best is None:
        return False
    if not asks(question) and not _REFERS.search(question):
        nearest = max(one.cosine for one in found)
        is_near = nearest >= search.LEAST_SIMILARITY and len(asked) >= REQUEST_WORDS
        return is_near and best.relevance >= LEAST_REQUEST
    least = LEAST_EARLIER if _EARLIER.search(question) else LEAST
    return best.relevance >= least + (FAR if best.cosine < NEAR else 0.0)


def words_of(tx: ReadTx, asked: Sequence[str]) -> list[Word]:
    """Return the words of a question, and how much each tells among all that was said."""
    told = rank.weights(*search.holders(tx, asked))
    return [Word(search.stem(word), tells) for word, tells in zip(asked, told, strict=True)]


def source_of(row: FoundRow) -> Source:
    """Return what a chunk is of."""
    return Source(
        type=SourceType(row.source_type),
        id=row.source_id,
        agent_id=row.agent_id,
        project=row.project,
    )


def _nearest(searches: Sequence[Sequence[FoundRow]], vector: bytes) -> list[tuple[FoundRow, float]]:
    """Return the chunks that are nearest by words, in whose order searches found them, and by meaning, with cosines.

    Without a search among what people say the long answers of an agent, which hold more words, crowd them out.
    """
    rows = {_place(row): row for found in searches for row in found}
    cosines = search.similarities([row.vector for row in rows.values()], vector)
    known = {place: cosine or 0.0 for place, cosine in zip(rows, cosines, strict=True)}
    chosen = dict.fromkeys(_place(row) for found in searches for row in found[:READ])
    chosen |= dict.fromkeys(sorted(known, key=known.__getitem__, reverse=True)[:READ])
    return [(rows[place], known[place]) for place in chosen]


def _place(row: FoundRow) -> tuple[str, str, str, int]:
    return row.source_type, row.source_id, row.project, row.position


def _judged(row: FoundRow, cosine: float, words: Sequence[Word]) -> Iterator[_Turn]:
    """Yield the turns of a chunk; a commit is one."""
    is_talk = row.source_type == SourceType.SESSION
    texts = split.turns(brief.without_code(row.content)) if is_talk else [row.content]
    held = [_held(words, fts.folded(text)) for text in texts]
    near, of = cutoff.COSINE * cosine, _weight(words)
    for place, text in enumerate(texts):
        named = _SPEAKER.match(text)
        if not text.strip():
            continue
        # An answer does not repeat its question.
        both = frozenset().union(*held[place : place + 2])
        yield _Turn(
            row=row,
            place=place,
            is_last=place + 1 == len(texts),
            text=text,
            speaker=named[1] if named else None,
            words=held[place],
            cosine=cosine,
            relevance=near + cutoff.WORDS * cutoff.told(_weight(both), of),
        )


def _ranked(found: Sequence[_Turn], words: Sequence[Word]) -> dict[_Turn, float]:
    """Return what each turn is worth, best first."""
    order = sorted(found, key=attrgetter("key"))
    around = neighbours.symmetric(
        {at + 1: [at] for at, (one, other) in enumerate(pairwise(order)) if other.follows(one)}
    )
    lengths = {at: len(one.text) / passages.TARGET for at, one in enumerate(order)}
    told = blend.occurring([_holders(order, word) for word in words], lengths)
    scores = blend.weighed(
        blend.worded(told, around, lengths),
        blend.levelled({at: one.cosine for at, one in enumerate(order)}, lengths),
        alpha=MEANING,
    )
    numbers = {source: number for number, source in enumerate({one.source for one in order})}
    sources = {at: numbers[one.source] for at, one in enumerate(order)}
    scores = neighbours.lift(scores, around, sources)
    lead = _lead_of_agents(order)
    worth = {one: scores[at] + lead * _speaking(one) for at, one in enumerate(order)}
    return dict(sorted(worth.items(), key=lambda pair: pair[1], reverse=True))


def _holders(found: Sequence[_Turn], word: Word) -> dict[int, float]:
    return {at: word.tells for at, one in enumerate(found) if word in one.words}


def _lead_of_agents(found: Sequence[_Turn]) -> float:
    """Return 0..1 for how much more agents say than people: 0 where these say half, 1 where they say nothing."""
    said = math.fsum(len(one.text) for one in found)
    people = math.fsum(len(one.text) for one in found if one.speaker == _PERSON)
    return max(0.0, 1 - 2 * people / (said or 1))


def _speaking(one: _Turn) -> float:
    if one.row.source_type != SourceType.SESSION:
        return 0.0
    return PERSON if one.speaker == _PERSON else LATER_PART if one.speaker is None else 0.0


def _held(words: Sequence[Word], folded: str) -> frozenset[Word]:
    return frozenset(one for one in words if one.stem in folded)


def _weight(words: Collection[Word]) -> float:
    return math.fsum(one.tells for one in words)


def _fitting(
    worth: Mapping[_Turn, float],
    asked: Sequence[str],
    given: Collection[str],
    chars: int,
    each: int,
) -> list[dict[_Turn, str]]:
    """Return of each source the best turns that fit, as they are shown; the very best with those beside it."""
    least = NEARLY * max(worth.values(), default=0.0)
    by_key = {one.key: one for one in worth}
    told: dict[Source, dict[_Turn, str]] = {}
    seen: set[_Turn] = set()
    left: dict[Source, int] = {}
    for number, best in enumerate(one for one in worth if worth[one] >= least and one.may_answer):
        if best in seen or not best.is_told(given):
            continue
        others = (by_key.get((*best.key[:-1], best.place + step)) for step in (-1, 1))
        beside = [one for one in others if one and number == 0 and one.is_told(given)]
        heading = 0 if best.source in told else brief.size(_stretch({best: ""}))
        for group in ([best, *beside], [best]):
            new = {
                one: one.shown(asked, most=each - 2 * GAP, is_answer=one is best)
                for one in group
                if one not in seen
            }
            size = sum(len(fence.clean(text)) + 1 + GAP for text in new.values())
            is_short = size <= left.get(best.source, each)
            if is_short and size + heading <= chars:
                told.setdefault(best.source, {}).update(new)
                seen.update(new)
                left[best.source] = left.get(best.source, each) - size
                chars -= size + heading
                break
    return list(told.values())


def _once(text: str, said: set[str]) -> str:
    """Return a text with a mark in the place of lines that were said, and note the others as said."""
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
    """Return turns of one source, the best first, in their order, with a mark where something is left out."""
    order = sorted(turns, key=lambda one: (one.row.position, one.place))
    best = next(iter(turns))
    lines: list[str] = []
    for before, one in zip([None, *order], order, strict=False):
        if not one.follows(before):
            lines.append(LEFT_OUT)
        lines.append(turns[one])
    match = Match(
        source=best.source,
        position=best.row.position,
        score=max(one.relevance for one in turns),
        said_at=best.row.said_at,
        is_asked=True,
    )
    return Stretch(match=match, text="\n".join(lines), parts=[one.name for one in order])


def _shortened(text: str, asked: Sequence[str], most: int) -> str:
    """Return a turn, of a long one the sentences that fit and hold most of these words, in their order."""
    if len(text) <= most:
        return text
    named = _SPEAKER.match(text)
    speaker = named[0] if named else ""
    sentences = split.sentences(text[len(speaker) :])
    worth = [
        search.shared_words(asked, one) + OUTCOME_WORDS * outcome.is_outcome(one)
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
