"""What was replaced stands behind what replaced it. Pure."""

from collections.abc import Collection, Mapping, Sequence

from signet.domain.recall.models import Scores

#: What is not true any more is worth half, and always less than what is.
PENALTY = 0.5
BEHIND = 0.99

#: For each memory that something replaced: what did, nearest first.
Replaced = Mapping[int, Sequence[int]]


def behind(scores: Scores, replaced: Replaced, allowed: Collection[int]) -> Scores:
    """Return scores where the current memory stands at least where the best of those stood that it replaced.

    It may be no candidate by itself, but then must be one of `allowed`.
    """
    after = dict(scores)
    old = {
        seq: [s for s in later if s in allowed] for seq, later in replaced.items() if seq in scores
    }
    for seq, later in old.items():
        if later:
            after[later[-1]] = max(after.get(later[-1], 0.0), scores[seq])
    for seq, later in sorted(old.items(), key=lambda pair: len(pair[1])):
        ceiling = min((after[s] for s in later if s in after), default=1.0)
        after[seq] = min(PENALTY * scores[seq], BEHIND * ceiling)
    return after
