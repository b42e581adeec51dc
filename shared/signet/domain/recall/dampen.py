"""Corrections after scoring: hubs, questions, resolution. Pure.

Each takes scores and returns scores, and can be left out alone.
"""

import math
import re
from collections.abc import Collection, Mapping

from signet.domain.recall.models import Scores

HUB_PERCENTILE = 0.9
HUB_PENALTY = 0.7
#: In a small store every entity is a hub unless it must be linked to this share of the memories.
HUB_MIN_SHARE = 0.25

#: A short memory that ends in a question asks for what a question is looking for. Measured: MRR on dialogue
#: turns 51.9 to 55.1; longer ones are left alone, because they also tell (chat with code lost 4 % of recall@10).
QUESTION_PENALTY = 0.8
QUESTION_MAX_CHARS = 100
#: How a question ends, and what may stand behind that.
QUESTION_MARKS = ("?", "？", "؟")
CLOSING = "\"'”’)]* "

#: Scores lie close together, so a decision is only preferred among equals: with 1.2 it would pass the answer
#: (recall@10 on chat with code 59.9 and not 63.7 %).
RESOLUTION_BOOST = 1.03
RESOLVED_TYPES = frozenset({"constraint", "decision"})
#: A shorter text with a date is a log line, a longer one (more than a passage) only mentions it: raising those
#: too costs 3 % of the evidence on long chat messages.
DATED_MIN_CHARS = 50
DATED_MAX_CHARS = 500

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
#: A date has a digit, which most texts have not: to look for one costs a tenth of looking for a date.
_DIGIT = re.compile(r"\d")

#: A month counts only beside a day or a year: "may" is a verb.
_DATE = re.compile(
    rf"\b\d{{4}}-\d{{2}}-\d{{2}}\b"
    rf"|\b(?:{_MONTHS})\b\.?,?\s+\d{{1,4}}\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS})\b",
    re.IGNORECASE,
)


def hubs(scores: Scores, degrees: Mapping[int, Collection[int]], *, memories: int) -> Scores:
    """Return scores where results that hang only on hub entities are lowered.

    `degrees` gives the mention counts of the entities of each result. A hub is in the top tenth of them all and
    linked to at least a quarter of the agent's `memories`.
    """
    ascending = sorted(degree for group in degrees.values() for degree in group)
    if not ascending:
        return scores
    tenth = ascending[min(len(ascending) - 1, math.floor(HUB_PERCENTILE * len(ascending)))]
    threshold = max(tenth, least_degree(memories))
    return {
        seq: score * HUB_PENALTY if (own := degrees.get(seq)) and min(own) >= threshold else score
        for seq, score in scores.items()
    }


def least_degree(memories: int) -> int:
    """Return how many memories must mention an entity at least that is a hub."""
    return math.ceil(HUB_MIN_SHARE * memories)


def resolution(scores: Scores, resolved: Collection[int], *, boost: float) -> Scores:
    """Return scores where decisions, constraints and dated facts are raised."""
    return {seq: score * boost if seq in resolved else score for seq, score in scores.items()}


def questions(scores: Scores, asking: Collection[int]) -> Scores:
    """Return scores where memories that ask are lowered."""
    return {
        seq: score * QUESTION_PENALTY if seq in asking else score for seq, score in scores.items()
    }


def is_resolved(type_: str, content: str) -> bool:
    """Return whether a memory settles something: by its type, or by naming a date in a text of a passage."""
    if type_ in RESOLVED_TYPES:
        return True
    if not DATED_MIN_CHARS <= len(content) <= DATED_MAX_CHARS or not _DIGIT.search(content):
        return False
    return bool(_DATE.search(content))
