"""Whether a session is worth reading: it is, unless all three signs fail."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from signet.config.pipeline import Significance
from signet.domain.transcripts.transcript import ASSISTANT, USER, Turn

#: A question and its answer count as an exchange from these lengths on.
USER_CHARS = 20
ASSISTANT_CHARS = 50
#: Novelty looks at the beginnings of texts.
HEAD_CHARS = 2_000
#: Share of unknown words from which a session is all new, and up to which nothing in it is.
ALL_NEW = 0.3
NOTHING_NEW = 0.1

_TOKEN = re.compile(r"[a-z0-9]{3,}")


def is_significant(
    turns: Sequence[Turn],
    text: str,
    names: Iterable[str],
    before: Sequence[str],
    limits: Significance,
) -> bool:
    """Return whether a session is to be read; `names` are known things, `before` the sessions of late."""
    return (
        not limits.enabled
        or exchanges(turns) >= limits.min_turns
        or _names_enough(text, names, limits.min_entity_overlap)
        or novelty(text, before) >= limits.novelty_threshold
    )


def exchanges(turns: Sequence[Turn]) -> int:
    """Return how often a question of some length got an answer of some length."""
    return sum(
        (one.role, other.role) == (USER, ASSISTANT)
        and len(one.text) > USER_CHARS
        and len(other.text) > ASSISTANT_CHARS
        for one, other in pairwise(turns)
    )


def novelty(text: str, before: Sequence[str]) -> float:
    """Return how new the words of a session are, 0..1; the first session is new."""
    words = tokens(text)
    if not before or not words:
        return 1.0
    known = frozenset[str]().union(*map(tokens, before))
    share = len(words - known) / len(words)
    return min(max((share - NOTHING_NEW) / (ALL_NEW - NOTHING_NEW), 0.0), 1.0)


def tokens(text: str) -> frozenset[str]:
    """Return the words at the beginning of a text."""
    return frozenset(_TOKEN.findall(text[:HEAD_CHARS].lower()))


def _names_enough(text: str, names: Iterable[str], least: int) -> bool:
    lowered = text.lower()
    found = 0
    for name in names:
        found += name in lowered
        if found >= least:
            return True
    return least == 0
