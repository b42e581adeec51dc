"""Count answered requests by route, and by the caller's name if given."""

from signet.observe import latency, metrics, record
from signet.observe.latency import TimedOperation
from signet.observe.record import Count

#: The route of unknown paths, so that paths never become names.
UNMATCHED = "(unmatched)"
#: Maximum length of a counted caller's name.
ACTOR_CHARS = 128


#: By words in the path; the first match applies.
_WORDS = (
    (Count.REMEMBERS, ("/remember", "/save")),
    (Count.RECALLS, ("/recall", "/search", "/similar")),
    (Count.MUTATIONS, ("/modify", "/forget", "/recover")),
)
_CHANGES = frozenset({("PATCH", "/api/memory/{memory_id}"), ("DELETE", "/api/memory/{memory_id}")})
_TIMED = {
    Count.REMEMBERS: TimedOperation.REMEMBER,
    Count.RECALLS: TimedOperation.RECALL,
    Count.MUTATIONS: TimedOperation.MUTATE,
}


def class_of(method: str, route: str) -> Count:
    """Return the class of a request (AN-4, AN-6). Pure."""
    if (method, route) in _CHANGES:
        return Count.MUTATIONS
    for found, words in _WORDS:
        if any(word in route for word in words):
            return found
    return Count.REQUESTS


def is_change(method: str, route: str) -> bool:
    """Return whether a request may change something. Pure."""
    return method != "GET" and class_of(method, route) is not Count.RECALLS


def answered(
    method: str, route: str | None, status: int, seconds: float, actor: str | None
) -> None:
    """Count one answer; never raises or waits."""
    route = route or UNMATCHED
    asked = class_of(method, route)
    metrics.labelled(metrics.HTTP_REQUESTS, method, route, str(status)).inc()
    metrics.labelled(metrics.HTTP_SECONDS, method, route).observe(seconds)
    if (operation := _TIMED.get(asked)) is not None:
        latency.observe(operation, seconds)
    if actor:
        record.count(asked, actor[:ACTOR_CHARS])
