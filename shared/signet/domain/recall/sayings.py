"""One saying, one place: which candidates say the same thing, and how well it answers.

The pieces of one text, a fact and the text it was read from, the passages of one session, and copies are one saying. It
scores as its best member. A text of many pieces has a good one by chance: the model's weight of a text's length counts
for the number of its pieces, too.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signet.domain.embeddings import vectors
from signet.domain.recall import rank
from signet.domain.recall.models import PartKind, Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading
from signet.domain.recall.sql.reading import Origin

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
    origins: Mapping[int, Origin] = run.attempt("sayings", {}, reading.origins, run.tx, order)
    members: dict[str | int | tuple[str, str], list[int]] = {}
    for seq in order:
        members.setdefault(_key(run, seq, origins), []).append(seq)
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
    run.attempt("pieces", None, _level, run, found)
    _behind(run, list(found.values()))
    return sorted(found.values(), key=lambda saying: saying.score, reverse=True)


def said(text: str) -> tuple[str, ...]:
    """Return what a text says, the same for every copy: its words in their order, without fillers.

    Who does what to whom stays apart: "Alice reports to Bob" is not "Bob reports to Alice".
    """
    words = [word.strip(_MARKS) for word in text.casefold().split()]
    return tuple([word for word in words if word not in _FILLERS])


def _key(run: Run, seq: int, origins: Mapping[int, Origin]) -> str | int | tuple[str, str]:
    """Return what all candidates of one saying have in common: the text in pieces, else the source or itself."""
    if seq in run.said:
        row = run.said[seq]
        return row.source_type, row.source_id
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


def _level(run: Run, found: Mapping[str | int | tuple[str, str], Saying]) -> None:
    """Take from texts in pieces what their best piece has by chance: the length of the whole counts."""
    weight = run.known.model.score * float(run.known.model.features[rank.at("length")])
    texts = [key for key in found if isinstance(key, str)]
    for text, chars in reading.lengths(run.tx, texts).items():
        own = run.allowed[found[text].best].passages
        found[text].score += weight * math.log(max(1.0, chars / vectors.TARGET) / max(1.0, own))


def _behind(run: Run, found: Sequence[Saying]) -> None:
    """Keep what was replaced behind what replaced it, and that at least where the old would stand."""
    replaced = run.later
    if not replaced:
        return
    of = {seq: saying for saying in found for seq in saying.members}
    for saying in found:
        for later in replaced.get(saying.shown, ()):
            other = of.get(later, saying)
            if other is not saying:
                other.score = max(other.score, saying.score)
                saying.score = min(saying.score, other.score - rank.BEHIND)
