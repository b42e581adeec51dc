"""Memories of the time that a question is about come before others that match as well. Pure.

Measured on the 202 dialogue questions that name a date: recall@10 74.7 to 84 %, MRR 48.5 to 58 %. A memory counts by
when it happened or by when it was told, whichever fits better: "on 3 June" may mean either. "Yesterday" means the day
of the event, where that is known.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from signet import clock
from signet.domain.recall.models import Scores
from signet.domain.recall.time_query import Span

#: What happened is told then or soon after: being told so long after the time counts half.
TOLD_WITHIN = timedelta(days=5)

Times = Mapping[int, tuple[str | None, str]]


def lift(scores: Scores, times: Times, spans: Sequence[Span], *, weight: float) -> Scores:
    """Return scores with those of the time in question raised by up to `weight`.

    `times` says for each memory when it happened, if known, and when it was told; what fits better counts.
    """
    return {
        seq: score * (1 + weight * closeness(times[seq], spans)) if seq in times else score
        for seq, score in scores.items()
    }


def closeness(times: tuple[str | None, str], spans: Sequence[Span]) -> float:
    """Return 1 for a memory of one of the intervals, less for one told after it, else 0."""
    event, told = times
    happened = clock.parsed(event)
    return max((_closeness(happened, told, span) for span in spans), default=0.0)


def _closeness(happened: datetime | None, told: str, span: Span) -> float:
    if happened is not None and (span.is_relative or span.holds(happened)):
        return float(span.holds(happened))
    return _told(told, span)


def _told(text: str, span: Span) -> float:
    instant = clock.parsed(text)
    if instant is None:
        return 0.0
    if span.holds(instant):
        return 1.0
    if span.end is None or instant < span.end:
        return 0.0
    late: float = (instant - span.end) / TOLD_WITHIN
    return math.pow(0.5, 1 + late)


def events(stored: Iterable[str | None]) -> list[datetime]:
    """Return those of the stored times that can be read."""
    return [instant for text in stored if (instant := clock.parsed(text)) is not None]
