"""What is counted of each answered request: by route for everybody, by name for callers who say theirs."""

from enum import StrEnum
from functools import lru_cache

from signet.observe import metrics, record
from signet.observe.record import Count
from signet.observe.rings import TIMES, Operation

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


@lru_cache(1_024)
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


def answered(method: str, route: str | None, status: int, seconds: float, actor: str | None) -> None:
    """Note one answer; never raises, waits for nothing."""
    route = route or UNMATCHED
    metrics.HTTP_REQUESTS.labels(method, route, status).inc()
    metrics.HTTP_SECONDS.labels(method, route).observe(seconds)
    asked = class_of(method, route)
    if asked in _TIMED:
        TIMES.note(_TIMED[asked], seconds * 1000)
    if actor:
        record.count(Count(asked), actor[:ACTOR_CHARS])
