"""Trace requests, if enabled (signet.observe.tracing). Pure ASGI, the outermost layer.

Spans are named by route, never by path; a caller's trace is continued.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signet.observe.tracing import TRACES
from signet_api.measure import UNMATCHED

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
