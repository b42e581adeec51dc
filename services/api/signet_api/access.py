"""Who is let in: outside local mode every request passes here, before a route is looked for or a body read.

In this order: who calls (401), may they do this (403), does their scope reach it (403), how often (429). In local mode
this layer is not there at all.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from signet import clock
from signet.config.env import is_loopback
from signet.config.sections import AuthMode
from signet.domain.auth import caller, issued, own, tokens
from signet.domain.auth.caller import STRANGER, TRUSTED, Caller
from signet.domain.auth.tokens import Claims, Unauthenticated
from signet.errors import Forbidden, SignetError
from signet.wire.access import EVERY, Permission, Rule
from signet_api import errors, limits
from signet_api.deps import State
from signet_api.guard import host_of
from signet_api.measure import is_change
from signet_api.permissions import match

#: What it takes to be told "not found" and "method not allowed".
_UNKNOWN = Rule(Permission.NONE, within=EVERY)
#: A request that another program has handed on does not come from here, whatever its peer.
_HANDED_ON = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via"})
_MAPPED = "::ffff:"
#: So rarely the use of a token is written down, and so many are remembered for that.
NOTED_AFTER, MOST_NOTED = timedelta(minutes=1), 10_000


class Access:
    """Wraps the app in the modes that know tokens."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state
        #: When each token was last noted as used, by its id.
        self._noted: dict[str, datetime] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on in the name of its caller, or answer why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            asked = await self._caller(headers, scope.get("client"))
        except SignetError as error:
            await errors.refusal(error)(scope, receive, send)
            return
        if asked.claims is not None:
            bind_contextvars(actor=asked.claims.sub)
        with caller.acting_for(asked):
            try:
                await self._check(asked, scope)
            except SignetError as error:
                if is_change(scope["method"], scope["path"]):
                    errors.note_refusal(error)
                await errors.refusal(error)(scope, receive, send)
                return
            await self._app(scope, receive, send)

    async def _caller(self, headers: Mapping[bytes, bytes], peer: tuple[str, int] | None) -> Caller:
        """Return who calls; raises Unauthenticated for a token that does not hold, wherever it comes from."""
        authority = self._state.authority
        token = tokens.bearer(headers.get(b"authorization", b"").decode("latin-1"))
        if token is None:
            is_near = authority.mode is AuthMode.HYBRID and is_here(headers, peer)
            return TRUSTED if is_near else STRANGER
        claims = tokens.verify(token, authority.secret, now=clock.now())
        if claims.sub == own.LOGIN:
            raise Unauthenticated("this is a code to log in with, no token")
        await self._check_revoked(claims)
        return Caller(claims=claims)

    async def _check_revoked(self, claims: Claims) -> None:
        """Refuse a token that was taken back; one that was signed elsewhere is noted at its first use."""
        if claims.jti is None:
            return
        is_revoked = await self._state.db.aread(issued.is_revoked, claims.jti)
        if is_revoked:
            raise Unauthenticated("token revoked")
        if is_revoked is None:
            await self._state.db.awrite(issued.keep, claims, now=clock.now())
        self._note(claims.jti)

    def _note(self, jti: str) -> None:
        """Note the use of a token, behind the answer and not more often than anybody looks."""
        now, before = clock.now(), self._noted.get(jti)
        if before is None or now - before >= NOTED_AFTER:
            if len(self._noted) >= MOST_NOTED:
                self._noted.clear()
            self._noted[jti] = now
            self._state.seen.put((jti, now))

    async def _check(self, asked: Caller, scope: Scope) -> None:
        rule = match(scope["method"], scope["path"]) or _UNKNOWN
        if rule.is_open and asked is STRANGER:
            return
        asked.check(rule.permission)
        asked.check_within(rule)
        if rule.limit is not None:
            await limits.count(self._state, rule.limit, Headers(scope=scope))


def is_here(headers: Mapping[bytes, bytes], peer: tuple[str, int] | None) -> bool:
    """Tell whether a request comes from this machine: peer and Host must both say so (AUTH-1 to AUTH-3)."""
    if peer is None or not _HANDED_ON.isdisjoint(headers):
        return False
    address = peer[0].removeprefix(_MAPPED)
    return is_loopback(address) and is_loopback(host_of(b"//" + headers.get(b"host", b"")))


def only_from_here(what: str) -> Callable[[Request], Awaitable[None]]:
    """Return a dependency of routes that run programs or know secrets (SE-23).

    It lets nobody ask who is not on this machine or has no token, and no page but our own.
    """

    async def check(request: Request) -> None:
        state: State = request.app.state.signet
        headers = dict(request.scope["headers"])
        is_near = is_here(headers, request.scope.get("client"))
        if state.authority.mode is AuthMode.LOCAL and not is_near:
            raise Forbidden(f"{what} are for callers on this machine")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition(b"://")[2] != headers.get(b"host"):
            raise Forbidden(f"{what} are for no other page than our own")

    return check
