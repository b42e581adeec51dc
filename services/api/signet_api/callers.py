"""Identify the caller of each request, in every mode (AUTH-1, AUTH-3, AUTH-6)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from starlette.types import Scope

from signet import clock
from signet.config.env import is_loopback
from signet.config.sections import AuthMode, LocalUsers
from signet.db.caches import Bounded
from signet.domain.auth import issued, tokens
from signet.domain.auth.caller import OWNER, PEER, STRANGER, Caller, CallerStanding, not_proven
from signet.domain.auth.tokens import Claims
from signet.errors import Unauthenticated
from signet.wire.access import AccessRule, Permission, Role
from signet_api import browser, connections
from signet_api.browser import Page
from signet_api.connections import Accepted
from signet_api.deps import State
from signet_api.guard import host_of
from signet_api.oidc import is_jwt

#: Headers of proxies and tunnels: the request originates elsewhere.
_HANDED_ON = (
    *(b"forwarded", b"via", b"x-forwarded-", b"x-original-", b"x-real-ip", b"x-client-ip", b"x-cluster-client-ip"),
    *(b"true-client-ip", b"cf-", b"fly-", b"fastly-", b"tailscale-", b"ngrok-"),
)  # fmt: skip
_MAPPED = "::ffff:"
#: Precision of a token's last use, and the maximum number of remembered tokens.
NOTED_AFTER, MOST_NOTED = timedelta(minutes=1), 10_000

_ACTOR_TYPE = b"x-signet-actor-type"
#: The actor types of clients that act for an agent.
_AGENTS = frozenset({b"agent", b"harness"})
WITHHELD_FROM_PAGES = frozenset({Permission.ADMIN, Permission.PROGRAMS})

_REMEDY = (
    "Call as the user who runs the daemon over the workspace's socket (curl --unix-socket "
    "~/.agents/.daemon/run/api.sock http://localhost/…) or with a token: "
    '-H "Authorization: Bearer $(signet auth token own)"'
)
OTHER_USER = (
    "This connection belongs to another user of this machine, and auth.localUsers is 'same'. "
    "That user needs a token: set auth.mode to team or hybrid, then run signet auth token create"
)
UNKNOWN_USER = f"The user of this connection is unknown to the system. {_REMEDY}"
HANDED_ON = f"A proxy has handed this request on, so it needs a token. {_REMEDY}"
ELSEWHERE = "This request does not come from this machine, so it needs a token"


class Callers:
    def __init__(self, state: State) -> None:
        self._state = state
        #: Time of the last recorded use, by token ID.
        self._noted: Bounded[str, datetime] = Bounded(MOST_NOTED)

    async def resolve(self, scope: Scope) -> Caller:
        """Return the caller; raises Unauthenticated for an invalid token.

        Local mode ignores tokens that were not signed for this daemon. Pages of other programs can neither
        administer the machine nor run programs, whatever their token.
        """
        found, page = await self._caller(scope), scope.get(browser.KEY)
        if page is Page.TRUSTED:
            return replace(found, withheld=WITHHELD_FROM_PAGES)
        acting = next((text for name, text in scope["headers"] if name == _ACTOR_TYPE), b"")
        if page is Page.OWN or acting in _AGENTS:
            return replace(found, is_page=page is Page.OWN, for_agent=acting in _AGENTS)
        return found

    async def unconfined(self, asked: Caller, rule: AccessRule, scope: Scope) -> Caller:
        """Return a peer as the owner if its program could read the user's files itself; raises Forbidden otherwise."""
        connection: Accepted | None = scope.get(connections.KEY)
        is_program = asked.standing is CallerStanding.PEER and not (asked.is_page or asked.withheld)
        if connection is None or not is_program:
            return asked
        if why := await connection.confinement():
            raise not_proven(
                f"To {rule.does}, use: {rule.command}. This request was refused because {why}"
            )
        return replace(asked, standing=CallerStanding.OWNER)

    async def _caller(self, scope: Scope) -> Caller:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        token = tokens.bearer(headers.get(b"authorization", b"").decode("latin-1"))
        authority = self._state.authority
        mode = authority.mode
        if token is not None:
            if tokens.is_signed(token, authority.workspace_token):
                return await self._own(token)
            is_of_provider = self._state.settings.auth.oidc.issuer is not None and is_jwt(token)
            if mode is not AuthMode.LOCAL and is_of_provider:
                claims = await self._state.oidc.verify(token, now=clock.now())
                await self._check_revoked(claims)
                return Caller(standing=CallerStanding.CLAIMS, claims=claims)
            if mode is not AuthMode.LOCAL:
                claims = await self._claims(token, authority.secret)
                return Caller(standing=CallerStanding.CLAIMS, claims=replace(claims, own=False))
        connection: Accepted | None = scope.get(connections.KEY)
        if connection is not None and connection.is_private:
            return OWNER if connections.is_own(await connection.uid()) else _stranger(OTHER_USER)
        if mode is AuthMode.TEAM:
            return STRANGER
        return await self._local(headers, scope.get("client"), connection)

    async def _local(
        self,
        headers: Mapping[bytes, bytes],
        peer: tuple[str, int] | None,
        connection: Accepted | None,
    ) -> Caller:
        """Return the caller of a TCP connection without a token."""
        if any(name.startswith(_HANDED_ON) for name in headers):
            return _stranger(HANDED_ON)
        if not _is_here(headers, peer):
            return _stranger(ELSEWHERE)
        if self._state.settings.auth.local_users is LocalUsers.ANY:
            return PEER
        uid = None if connection is None else await connection.uid()
        if uid is None:
            return _stranger(UNKNOWN_USER)
        return PEER if connections.is_own(uid) else _stranger(OTHER_USER)

    async def _own(self, token: str) -> Caller:
        claims = await self._claims(token, self._state.authority.workspace_token)
        if claims.sub == tokens.PAGE:
            return Caller(standing=CallerStanding.PAGE, claims=claims)
        return (
            OWNER
            if claims.role is Role.ADMIN
            else Caller(standing=CallerStanding.CLAIMS, claims=claims)
        )

    async def _claims(self, token: str, key: bytes) -> Claims:
        claims = tokens.verify(token, key, now=clock.now())
        if claims.sub == tokens.LOGIN:
            raise Unauthenticated("this is a login code, not a token")
        await self._check_revoked(claims)
        return claims

    async def _check_revoked(self, claims: Claims) -> None:
        """Refuse a revoked token; store a token that was signed elsewhere at its first use."""
        if claims.jti is None:
            return
        is_revoked = await self._state.db.aread(issued.is_revoked, claims.jti)
        if is_revoked:
            raise Unauthenticated("token revoked")
        if is_revoked is None:
            await self._state.db.awrite(issued.keep_issued, claims, now=clock.now())
        self._note(claims.jti)

    def _note(self, jti: str) -> None:
        """Record the use of a token, after the answer and at most once a minute."""
        now, before = clock.now(), self._noted.get(jti)
        if before is None or now - before >= NOTED_AFTER:
            self._noted.put(jti, now)
            self._state.seen.put((jti, now))


def _stranger(reason: str) -> Caller:
    return Caller(standing=CallerStanding.STRANGER, reason=reason)


def _is_here(headers: Mapping[bytes, bytes], peer: tuple[str, int] | None) -> bool:
    """Return whether peer and Host are on this machine (AUTH-1, AUTH-2, AUTH-3)."""
    if peer is None:
        return False
    address = peer[0].removeprefix(_MAPPED)
    return is_loopback(address) and is_loopback(host_of(b"//" + headers.get(b"host", b"")))
