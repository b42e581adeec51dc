"""Authorize every request before its route is chosen and its body read.

Checks in order: caller (401), permission and scope (403), rate limit (429).
"""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from signet.config.sections import AuthMode
from signet.domain.auth import caller
from signet.domain.auth.caller import Caller, CallerStanding
from signet.errors import SignetError
from signet.wire.access import EVERY, AccessRule, Permission
from signet_api import errors, limits, projects
from signet_api.audited import NotedRead
from signet_api.callers import Callers
from signet_api.deps import State
from signet_api.measure import is_change
from signet_api.permissions import match

#: The rule of unknown paths: only identified callers learn that a path or method does not exist.
_UNKNOWN = AccessRule(Permission.NONE, within=EVERY)


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
        rule = match(scope["method"], scope["path"]) or _UNKNOWN
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
            if self._state.authority.mode is AuthMode.LOCAL:
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
            await limits.count(self._state, rule.limit, Headers(scope=scope))
