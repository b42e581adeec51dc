"""What is counted of each answered request: by route for everybody, by name for callers who say theirs."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

from signet.observe import latency, metrics, record
from signet.observe.latency import Operation
from signet.observe.record import Count

#: The route of a path that none answers, so that paths never become names.
UNMATCHED = "(unmatched)"
#: Longest name of a caller that is counted.
ACTOR_CHARS = 128


class Class(StrEnum):
    """What a request asks for, as far as callers are counted (AN-4)."""

    REMEMBERS = "remembers"
    RECALLS = "recalls"
    MUTATIONS = "mutations"
    REQUESTS = "requests"


#: By words in the path, first match.
_WORDS = (
    (Class.REMEMBERS, ("/remember", "/save")),
    (Class.RECALLS, ("/recall", "/search", "/similar")),
    (Class.MUTATIONS, ("/modify", "/forget", "/recover")),
)
_CHANGES = frozenset({("PATCH", "/api/memory/{memory_id}"), ("DELETE", "/api/memory/{memory_id}")})
_TIMED = {
    Class.REMEMBERS: Operation.REMEMBER,
    Class.RECALLS: Operation.RECALL,
    Class.MUTATIONS: Operation.MUTATE,
}


class Increases(Protocol):
    """A counter of one set of labels."""

    def inc(self, amount: float = 1) -> None: ...


class Observes(Protocol):
    """A histogram of one set of labels."""

    def observe(self, amount: float) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Series:
    """Where the answers of one route with one status are counted."""

    requests: Increases
    seconds: Observes
    operation: Operation | None
    count: Count


def class_of(method: str, route: str) -> Class:
    """Return what a request to a route asks for (AN-4, AN-6). Pure."""
    if (method, route) in _CHANGES:
        return Class.MUTATIONS
    for found, words in _WORDS:
        if any(word in route for word in words):
            return found
    return Class.REQUESTS


def is_change(method: str, route: str) -> bool:
    """Return whether a request would change something. Pure."""
    return method != "GET" and class_of(method, route) is not Class.RECALLS


def answered(
    method: str, route: str | None, status: int, seconds: float, actor: str | None
) -> None:
    """Note one answer; never raises, waits for nothing."""
    series = _series(method, route or UNMATCHED, status)
    series.requests.inc()
    series.seconds.observe(seconds)
    if series.operation is not None:
        latency.observe(series.operation, seconds)
    if actor:
        record.count(series.count, actor[:ACTOR_CHARS])


@lru_cache(4_096)
def _series(method: str, route: str, status: int) -> _Series:
    """Return where answers like this one are counted; finding that anew each time costs as much as counting."""
    asked = class_of(method, route)
    return _Series(
        requests=metrics.HTTP_REQUESTS.labels(method, route, status),
        seconds=metrics.HTTP_SECONDS.labels(method, route),
        operation=_TIMED.get(asked),
        count=Count(asked),
    )
