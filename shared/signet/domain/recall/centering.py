"""Mean-centred cosine: what the nearest vectors have in common is taken out of the question before comparing.

In a store about one thing (a friend, a project) its name and manner are in the question and in half of the memories,
and a cosine of the whole question prefers those that say little else. The mean of the nearest vectors is what they
share; it is taken out of the question, and since every candidate loses the same on average, cosines keep their size.
Measured (six conversations, 2,184 questions): MRR of extracted facts 64.7 to 67.0 %, of turns 53.5 to 55.3 %,
recall@10 of facts 82.4 to 84.8 %, of sessions and chat with code unchanged or better.
"""

from collections.abc import Collection, Mapping

from signet.db import ReadTx, vectors
from signet.domain.episodes.models import FoundRow
from signet.domain.recall import vector as channel
from signet.domain.recall.models import Scores
from signet.providers.scale import Scale

#: Vectors whose mean is what is common, and how much of it is taken out; 30 to 100 and 0.5 to 0.8 measure alike. In a
#: store of few, what all have in common tells little of the nearest: recall@5 in 140 stores of 60 memories is 0.6 %
#: higher with the nearer part than with all. Of too few each would lose what it alone has.
NEAREST = 50
NEARER = 0.4
LEAST = 10
SHARE = 0.6


def compare(
    tx: ReadTx,
    plain: bytes,
    weighed: bytes,
    seqs: Collection[int],
    *,
    model: str | None,
    said: Mapping[int, FoundRow],
    scale: Scale,
) -> tuple[Scores, Scores]:
    """Return the cosine of each given memory or passage that has a vector, and the one without what is common.

    Both are on the scale that ranking is fitted for. The first is to the `plain` vector of the question, the second to
    the `weighed` one (`gather.py`). A memory is as near as its best vector.
    """
    import numpy as np

    owners, stored = channel.stored(tx, vectors.dimensions(plain), seqs, model=model)
    known = {number: row.vector for number, row in said.items() if row.vector}
    known = {number: one for number, one in known.items() if len(one) == len(plain)}
    owners, stored = [*owners, *known], stored + b"".join(known.values())
    if not owners:
        return {}, {}
    many = np.frombuffer(stored, dtype="<f4").reshape(len(owners), -1)
    # einsum, because a product of matrices would start the threads of a BLAS library.
    norms = np.sqrt(np.einsum("ij,ij->i", many, many))
    shares = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    as_asked, near = (
        shares * np.einsum("ij,j->i", many, one) / (np.sqrt(np.einsum("j,j->", one, one)) or 1.0)
        for one in (np.frombuffer(question, dtype="<f4") for question in (plain, weighed))
    )
    nearest = np.argsort(-near)[: min(NEAREST, max(LEAST, round(NEARER * len(owners))))]
    middle = np.einsum("ij,i->j", many[nearest], shares[nearest]) / len(nearest)
    common = shares * np.einsum("ij,j->i", many, middle)
    apart = near - SHARE * (common - common.mean())
    factor, shift = scale.factor, scale.shift
    return (
        channel.best_of(owners, factor * as_asked + shift),
        channel.best_of(owners, factor * apart + shift),
    )
