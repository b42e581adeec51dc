"""Memories of one source support each other. Pure.

In a conversation the turn before a match holds the question and the one after it the reply, and a good match
says that its session is about the matter. Measured on dialogue turns (1,231 questions): recall@5 65.2 to 68.8,
recall@10 74.4 to 77.9; sources with one memory are not touched.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from signet.domain.recall.models import Scores

#: What a word in the neighbouring memory counts beside one in the memory itself.
WORD = 0.4

#: What the better neighbour's score adds, and what the best score of the whole source adds.
BESIDE = 0.2
SOURCE = 0.3

Around = Mapping[int, Iterable[int]]


def symmetric(beside: Mapping[int, Iterable[int]]) -> dict[int, set[int]]:
    """Return who is beside whom, said from both sides."""
    around: dict[int, set[int]] = {}
    for seq, others in beside.items():
        for other in others:
            around.setdefault(seq, set()).add(other)
            around.setdefault(other, set()).add(seq)
    return around


def groups(places: Mapping[int, tuple[int | None, int | None]]) -> dict[int, int]:
    """Return what each memory came from: its source when others share it, else what was saved with it.

    `places` gives the source and the batch (project and instant) of each; None where there is none.
    """
    sizes = Counter(source for source, _ in places.values() if source is not None)
    named = {
        seq: source if source is not None and sizes[source] > 1 else batch
        for seq, (source, batch) in places.items()
    }
    return {seq: name for seq, name in named.items() if name is not None}


def lend(word: Mapping[int, float], around: Around) -> Scores:
    """Return the scores of one word, where a memory without it borrows from its neighbours."""
    reach = dict(word)
    for seq, score in word.items():
        for other in around.get(seq, ()):
            reach[other] = max(reach.get(other, 0.0), WORD * score)
    return reach


def lift(scores: Scores, around: Around, sources: Mapping[int, int]) -> Scores:
    """Return each score with what the better neighbour and the best of the same source add.

    A memory that stands alone is its own source, and its score is unchanged.
    """
    best = dict.fromkeys(sources.values(), 0.0)
    for seq, source in sources.items():
        if (score := scores.get(seq, 0.0)) > best[source]:
            best[source] = score
    lifted: Scores = {}
    for seq, score in scores.items():
        beside = 0.0
        for other in around.get(seq, ()):
            if (near := scores.get(other, 0.0)) > beside:
                beside = near
        whole = best[sources[seq]] if seq in sources else score
        lifted[seq] = (score + BESIDE * beside + SOURCE * whole) / (1 + SOURCE)
    return lifted
