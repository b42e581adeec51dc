"""Who calls, for everything that happens on behalf of one request.

The caller travels with the request's context, as the rights of a session do in a database with row-level security: a
route that forgets about scopes is still held to them. Outside of requests, and in local mode, it is `TRUSTED`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from signet import ids
from signet.domain.auth.policy import PERMISSIONS, allows, lacking
from signet.domain.auth.tokens import NO_SCOPE, Claims, TokenScope, Unauthenticated
from signet.errors import Forbidden
from signet.wire.access import EVERY, Permission, Role, Rule


class ScopeDenied(Forbidden):
    """The caller's token is limited to other rows."""

    code = "scope_denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: the holder of a token, a program on this machine that is trusted as it is, or a stranger."""

    claims: Claims | None = None
    is_trusted: bool = False

    @property
    def scope(self) -> TokenScope:
        """Return the limits that hold: those of the token, none for an admin (AUTH-17).

        A limit to a user is one to the agent id under which what is theirs is kept (AUTH-27).
        """
        if self.claims is None or self.claims.role is Role.ADMIN:
            return NO_SCOPE
        scope = self.claims.scope
        return scope if scope.user is None else replace(scope, agent=ids.of_user(scope.user))

    @property
    def permissions(self) -> frozenset[Permission]:
        """Return what the caller may do."""
        if self.claims is not None:
            return PERMISSIONS[self.claims.role]
        return frozenset(Permission) if self.is_trusted else frozenset()

    def check(self, permission: Permission) -> None:
        """Raise Forbidden, or Unauthenticated for a stranger."""
        if self.claims is None and not self.is_trusted:
            raise Unauthenticated
        if self.claims is not None and not allows(self.claims.role, permission):
            raise Forbidden(lacking(self.claims.role, permission))

    def check_within(self, rule: Rule) -> None:
        """Raise ScopeDenied where an operation of this rule does not keep to the limits of the token."""
        for dimension in self.scope.body():
            if dimension in EVERY - rule.within:
                raise ScopeDenied(self._restricted(dimension))

    def may(self, rule: Rule) -> bool:
        """Return whether an operation of this rule would let the caller in."""
        try:
            self.check(rule.permission)
            self.check_within(rule)
        except Forbidden:
            return False
        return True

    @property
    def hidden(self) -> str:
        """Return the owners that lists leave out, as a GLOB pattern: users, for other tokens than an admin's (AUTH-27).

        Empty where nobody is left out. A token that is limited to a user is held to that user by its scope.
        """
        is_held = self.claims is not None and self.claims.role is not Role.ADMIN
        return f"{ids.USER_PREFIX}*" if is_held and self.scope.user is None else ""

    def check_row(self, *, project: str | None = None, agent: str | None = None) -> None:
        """Raise ScopeDenied unless the caller may use a row of this project and owner: the one rule of ownership.

        Every change of a named row asks here, with the row as it is stored, in the transaction that changes it. A row
        without a project or an owner passes (AUTH-18). What belongs to a user is for that user and admins (AUTH-27).
        """
        if agent is not None and self.hidden and ids.is_of_user(agent):
            named = agent.removeprefix(ids.USER_PREFIX)
            raise ScopeDenied(f"what belongs to user '{named}' is for {named} and admins only")
        for dimension, bound, found in (
            ("project", self.scope.project, project),
            ("agent", self.scope.agent, agent),
        ):
            if bound is not None and found is not None and found != bound:
                raise ScopeDenied(self._restricted(dimension))

    def _restricted(self, dimension: str) -> str:
        """Return the words of a refusal, which names the limit that the token has (AUTH-18)."""
        limits = self.scope.body()
        named = "user" if dimension == "agent" and "user" in limits else dimension
        return f"scope restricted to {named} '{limits[named]}'"


#: Code that acts outside of requests, and every caller in local mode.
TRUSTED = Caller(is_trusted=True)
STRANGER = Caller()

_CURRENT: ContextVar[Caller] = ContextVar("signet_caller", default=TRUSTED)


def current() -> Caller:
    """Return on whose behalf this code runs."""
    return _CURRENT.get()


@contextmanager
def acting_for(caller: Caller) -> Iterator[None]:
    """Let everything in the block happen on behalf of a caller."""
    before = _CURRENT.set(caller)
    try:
        yield
    finally:
        _CURRENT.reset(before)
