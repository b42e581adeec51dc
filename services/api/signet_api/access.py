"""Authorize every request before its route is chosen and its body read.

Checks in order: caller (401), permission and scope (403), rate limit (429; local mode has none, AUTH-5). A route
without a rule prevents the start.
"""

from collections.abc import Iterable, Mapping

from starlette.datastructures import Headers
from starlette.routing import BaseRoute, compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from signet import clock
from signet.config.sections import AuthMode
from signet.domain.auth import caller, limits
from signet.domain.auth.caller import Caller, CallerStanding
from signet.errors import SignetError
from signet.wire import access, operations
from signet.wire.access import EVERY, AccessRule, Permission, Quota
from signet_api import errors, projects, serving
from signet_api.audited import NotedRead
from signet_api.callers import Callers
from signet_api.deps import State
from signet_api.measure import is_change

#: The rule of unknown paths: only identified callers learn that a path or method does not exist.
_UNKNOWN = AccessRule(Permission.NONE, within=EVERY)
#: Method and path template of every route.
TABLE: Mapping[tuple[str, str], AccessRule] = {
    ("GET", "/openapi.json"): access.KNOWN,
    **{(one.method, one.path): one.rule for one in operations.BY_ID.values()},
}

_PATTERNS = tuple(
    (method, compile_path(path)[0], rule)
    for (method, path), rule in sorted(TABLE.items(), key=lambda row: -serving.literal(row[0][1]))
    if "{" in path
)


class Access:
    """ASGI middleware that authorizes requests."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state
        self._callers = Callers(state)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        known = match(scope["method"], scope["path"])
        rule = known or _UNKNOWN
        try:
            asked = await self._callers.resolve(scope)
            if rule.for_peers:
                asked = await self._callers.unconfined(asked, rule, scope)
            if rule.does and asked.is_page:
                asked, receive = await self._state.confirmations.apply(asked, scope, receive)
        except SignetError as error:
            await errors.refusal(error)(scope, receive, send)
            return
        if asked.claims is not None and not asked.claims.own:
            bind_contextvars(actor=asked.claims.sub)
        with caller.acting_for(asked):
            try:
                await self._check(asked, rule, scope)
                projects.TOLD.set(projects.described(scope["headers"]))
            except SignetError as error:
                if is_change(scope["method"], scope["path"]):
                    errors.note_refusal(error)
                await errors.refusal(error)(scope, receive, send)
                return
            if known is None and (allowed := _methods(scope["path"])):
                await errors.other_method(scope["method"], allowed)(scope, receive, send)
            elif self._state.authority.mode is AuthMode.LOCAL:
                await self._app(scope, receive, send)
            else:
                await self._noting(rule, scope, receive, send)

    async def _noting(self, rule: AccessRule, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, then note what it has read for the audit log."""
        read = NotedRead(rule, scope["method"])

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                read.status = message["status"]
            await send(message)

        await self._app(scope, receive, sent)
        if (entry := read.entry(scope)) is not None:
            self._state.audits.put(entry)

    async def _check(self, asked: Caller, rule: AccessRule, scope: Scope) -> None:
        if rule.is_open and asked.standing is CallerStanding.STRANGER:
            return
        asked.check(rule)
        asked.check_within(rule)
        if rule.limit is not None:
            await count(self._state, rule.limit, Headers(scope=scope))


def check_routes(routes: Iterable[BaseRoute]) -> None:
    """Raise LookupError for a route without a rule."""
    for route in routes:
        for method in getattr(route, "methods", None) or ("any method",):
            asked = (method, getattr(route, "path", ""))
            if asked not in TABLE:
                raise LookupError(f"{' '.join(asked)} has no row in access.TABLE")


def match(method: str, path: str) -> AccessRule | None:
    """Return the rule of a request's route, None if there is no route. Paths without parameters take precedence, as in
    the router.
    """
    if (rule := TABLE.get((method, path))) is not None:
        return rule
    for known, pattern, rule in _PATTERNS:
        if known == method and pattern.match(path) is not None:
            return rule
    return None


def _methods(path: str) -> list[str]:
    """Return the methods of a path, none for an unknown path. Pure."""
    fixed = [method for method, known in TABLE if known == path]
    return fixed or [method for method, pattern, _ in _PATTERNS if pattern.match(path)]


async def count(
    state: State, operation: Quota, headers: Headers, *, instead_of: Quota | None = None
) -> None:
    """Count this request, instead of as `instead_of` if given; raises RateLimited without counting."""
    if state.authority.mode is AuthMode.LOCAL:
        return
    actor = _actor(headers)
    known = state.settings.auth.rate_limits
    asked = limits.window(actor, operation, known)
    before = limits.window(actor, instead_of, known) if instead_of else None
    refused = await state.db.awrite_quick(
        limits.count, asked, now=clock.now(), longest_ms=limits.longest_ms(known), instead_of=before
    )
    if refused is not None:
        raise refused


def _actor(headers: Headers) -> str:
    """Return the counted caller: the token's, else the claimed name (AUTH-23)."""
    claims = caller.current().claims
    return claims.sub if claims else headers.get("x-signet-actor") or "anonymous"
