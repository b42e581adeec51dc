"""One saying, one place: which candidates say the same thing, and how well it answers.

The pieces of one text, a fact and the text it was read from, and copies are one saying. It scores as its best member.
A text of many pieces has a good one by chance, so each unit of ln(pieces) costs `LENGTH`; and a text that was saved in
pieces gains by the text before and after it in its conversation, as short ones do (`neighbours.py`).

Measured as shipped, recall@10 of an ordinary page. Six chats with long messages, on which the numbers were chosen: each
piece in its own place 46 %, one place each 50 %, with length and neighbours 60 %; three others 40 and 52 %; LoCoMo
sessions 88 and 92 %. `LENGTH` from 0.06 to 0.1 measures alike; `BESIDE` of 0.3 is 1 % less on the three others. To add
a part of what the second piece scores lost 2 to 10 %.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signet.db import ReadTx
from signet.domain.recall import superseded
from signet.domain.recall.models import PartKind, Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading
from signet.domain.recall.sql.reading import Origin

LENGTH = 0.08
BESIDE = 0.2

#: A source that is so many times longer than what an answer shows of a text does not stand for a fact read from it:
#: the part that is shown would most likely not hold it.
LONG = 2

#: Words without which a statement says the same, and marks at the ends of words.
_FILLERS = frozenset(("", "a", "an", "the", "also", "just", "really", "that"))
_MARKS = ".,;:!?\"'()[]…“”‘’。，！？"


@dataclass(slots=True, kw_only=True)
class Saying:
    """Candidates that say one thing, best first; `shown` is the one whose text stands on the page."""

    members: list[int]
    shown: int
    score: float
    #: The session it came from, or what was saved at the same instant.
    source: str | None
    #: How each of several members belongs to it.
    kinds: dict[int, PartKind]

    @property
    def best(self) -> int:
        """Return the member that answers best."""
        return self.members[0]

    def take(self, copy: "Saying") -> None:
        """Make a copy of this saying, with all that belongs to it, a part of this one."""
        self.members.extend(copy.members)
        self.kinds |= copy.kinds | {copy.shown: PartKind.COPY}


def of(run: Run, order: Sequence[int], scores: Scores) -> list[Saying]:
    """Return the sayings of candidates that are given best first, best first."""
    origins: Mapping[int, Origin] = run.attempt(
        "sayings", lambda: reading.origins(run.tx, order), {}
    )
    members: dict[str | int, list[int]] = {}
    for seq in order:
        members.setdefault(_key(seq, origins), []).append(seq)
    found = {
        key: Saying(
            members=seqs,
            shown=_shown(run, seqs, origins),
            score=scores[seqs[0]],
            source=origins[seqs[0]].source if seqs[0] in origins else None,
            kinds={seq: _kind(origins.get(seq)) for seq in seqs} if len(seqs) > 1 else {},
        )
        for key, seqs in members.items()
    }
    run.attempt("pieces", lambda: _level(run.tx, found), None)
    _behind(run, list(found.values()))
    return sorted(found.values(), key=lambda saying: saying.score, reverse=True)


def said(text: str) -> tuple[str, ...]:
    """Return what a text says, the same for every copy: its words in their order, without fillers.

    Who does what to whom stays apart: "Alice reports to Bob" is not "Bob reports to Alice".
    """
    words = (word.strip(_MARKS) for word in text.casefold().split())
    return tuple(word for word in words if word not in _FILLERS)


def _key(seq: int, origins: Mapping[int, Origin]) -> str | int:
    """Return what all candidates of one saying have in common: the text in pieces, else the source or itself."""
    origin = origins.get(seq)
    if origin is None:
        return seq
    return origin.text or (origin.read_from if origin.read_from in origins else None) or seq


def _kind(origin: Origin | None) -> PartKind:
    return PartKind.FACT if origin is not None and origin.read_from else PartKind.PASSAGE


def _shown(run: Run, seqs: Sequence[int], origins: Mapping[int, Origin]) -> int:
    """Return what stands for a saying: its best member, or what that was read from unless it is long.

    What was replaced stands for nothing that was not.
    """
    if len(seqs) == 1:
        return seqs[0]
    best = next((seq for seq in seqs if seq not in run.replaced), seqs[0])
    source = origins[best].read_from if best in origins else None
    if source is None or source not in seqs:
        return best
    hides = source in run.replaced and best not in run.replaced
    is_long = origins[source].chars > LONG * run.settings.truncate_chars
    return best if hides or is_long else source


def _level(tx: ReadTx, found: Mapping[str | int, Saying]) -> None:
    """Take from texts in pieces what they have by chance, and add what stands beside them."""
    beside: dict[str | int, set[str | int]] = {}
    texts = reading.pieces(tx, [key for key in found if isinstance(key, str)])
    for text, (count, around) in texts.items():
        found[text].score -= LENGTH * math.log(count)
        for other in around:
            if other in found:
                beside.setdefault(text, set()).add(other)
                beside.setdefault(other, set()).add(text)
    scores = {key: found[key].score for key in beside}
    for key, others in beside.items():
        found[key].score += BESIDE * max(0.0, *(scores[other] for other in others))


def _behind(run: Run, found: Sequence[Saying]) -> None:
    """Keep what was replaced behind what replaced it, and that at least where the old would stand."""
    if not run.replaced:
        return
    of = {seq: saying for saying in found for seq in saying.members}
    for saying in found:
        for later in run.replaced.get(saying.shown, ()):
            other = of.get(later, saying)
            if other is not saying:
                other.score = max(other.score, saying.score)
                saying.score = min(saying.score, superseded.BEHIND * other.score)
