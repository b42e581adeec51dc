"""Whether two texts may say the opposite, told from their words alone (PIP-20)."""

import re

from signet.domain.graph.lexicon import words

NEGATIONS = words(
    "not no never cannot cant doesnt dont isnt wasnt wont without didnt arent shouldnt neither none"
)

ANTONYMS = (
    ("enabled", "disabled"),
    ("allow", "deny"),
    ("accept", "reject"),
    ("always", "never"),
    ("on", "off"),
    ("true", "false"),
)

#: Words that two texts share without speaking of the same thing.
STOP_WORDS = words(
    "the an and or but if of to in on at by for from with as is are was were be been being am it "
    "its this that these those he she they them his her their we our us you your my me do does "
    "did has have had will would can could should shall may might must there here then than so "
    "too very just also"
)

#: Shared words below this number mean two unrelated texts.
MIN_OVERLAP = 2

_APOSTROPHE = re.compile(r"['’]")
_WORD = re.compile(r"[a-z0-9]{2,}")


def risk(new: str, old: str) -> bool:
    """Say whether the texts share a subject and exactly one of them denies it."""
    ours, theirs = tokens(new), tokens(old)
    if len(overlap(ours, theirs)) < MIN_OVERLAP:
        return False
    if bool(ours & NEGATIONS) != bool(theirs & NEGATIONS):
        return True
    return any(_opposed(ours, theirs, pair) for pair in ANTONYMS)


def tokens(text: str) -> frozenset[str]:
    """Return the distinct words of two or more letters or digits, lower-case, apostrophes deleted."""
    return frozenset(_WORD.findall(_APOSTROPHE.sub("", text.lower())))


def overlap(ours: frozenset[str], theirs: frozenset[str]) -> frozenset[str]:
    """Return the words both sides share, without the words every text has."""
    return (ours & theirs) - STOP_WORDS


def _opposed(ours: frozenset[str], theirs: frozenset[str], pair: tuple[str, str]) -> bool:
    here, there = ours.intersection(pair), theirs.intersection(pair)
    return len(here) == len(there) == 1 and here != there
