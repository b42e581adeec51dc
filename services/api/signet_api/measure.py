"""Count answered requests by route, and by the caller's name if given."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signet.observe import latency, metrics, record
from signet.observe.latency import TimedOperation
from signet.observe.record import Count
from signet.observe.tracing import TRACES

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


#: Polled by machines every few seconds, so not traced.
_PROBES = ("/health", "/livez", "/readyz", "/metrics")


class Traced:
    """ASGI middleware that opens a span."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_PROBES):
            await self._app(scope, receive, send)
            return
        status = 0

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        method = scope["method"]
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        with TRACES.request(method, headers) as span:
            await self._app(scope, receive, seen)
            route = getattr(scope.get("route"), "path", UNMATCHED)
            span.name(f"{method} {route}")
            span.note(
                {
                    "http.request.method": method,
                    "http.route": route,
                    "http.response.status_code": status,
                    "signet.request.id": scope.get("signet.request_id"),
                }
            )
            if status >= 500:
                span.fail(str(status))
