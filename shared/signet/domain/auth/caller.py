"""The caller of a request: permissions, scope, consent."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum

from signet import ids
from signet.config import decisive
from signet.config.decisive import Raw
from signet.db import barrier
from signet.domain.auth.tokens import NO_SCOPE, Claims, TokenScope
from signet.errors import Forbidden, Unauthenticated
from signet.wire import access
from signet.wire.access import EVERY, AccessRule, Permission, Role, Verb

#: Marks of operations that no role names as a permission.
MARKS = frozenset({Permission.NONE, Permission.OPERATOR, Permission.LOCAL})


_READONLY = frozenset({Permission.NONE, Permission.RECALL})
_AGENT = _READONLY | {
    Permission.REMEMBER,
    Permission.MODIFY,
    Permission.FORGET,
    Permission.RECOVER,
    Permission.DOCUMENTS,
}
_ADMIN = frozenset(Permission)
PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.ADMIN: _ADMIN,
    Role.OPERATOR: _ADMIN - {Permission.ADMIN, Permission.PROGRAMS},
    Role.AGENT: _AGENT,
    Role.READONLY: _READONLY,
    Role.MONITOR: frozenset({Permission.NONE, Permission.METRICS}),
}
#: A program of the daemon's user that proves nothing else may be an agent's: it runs nothing and does not speak as
#: the user.
PEER_PERMISSIONS = _ADMIN - {Permission.PROGRAMS, Permission.SPEAK}


def lacking(role: Role, permission: Permission) -> str:
    """Return the message of a refusal (AUTH-13)."""
    named = Permission.OPERATOR if permission is Permission.LOCAL else permission
    return f"role '{role}' lacks '{named}' permission"


class ScopeDenied(Forbidden, code="scope_denied"):
    """The caller's token is limited to other rows."""


#: Code of a refusal until the user has confirmed a request of the dashboard.
CONFIRM = "confirmation_needed"


def not_proven(message: str) -> Forbidden:
    """Return the refusal of a caller who is the daemon's user, but perhaps not in one of that user's own clients."""
    return Forbidden(message, "not_proven")


def not_for_agents(does: str, command: str) -> Forbidden:
    return Forbidden(f"Agents may not {does}. Ask the user to run: {command}", "not_for_agents")


class CallerStanding(StrEnum):
    """How the daemon knows a caller.

    `owner`: a program of the daemon's user that can use the workspace's private socket or token file.
    `peer`: a program without either, whose connection the kernel attributes to the daemon's user.
    `claims`: the holder of a token with a role. `page`: a session of the dashboard. `stranger`: everyone else.
    """

    OWNER = "owner"
    PEER = "peer"
    CLAIMS = "claims"
    PAGE = "page"
    STRANGER = "stranger"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller; `claims` are those of a token, `reason` says why a stranger was not recognised and how to be.

    `withheld` are permissions that do not apply to this kind of request. `is_page`: it comes from the dashboard;
    `is_confirmed`: the user has confirmed exactly this request there. `for_agent`: the client acts for an agent.
    `in_background`: work that no one requested, whose results any key may read.
    """

    standing: CallerStanding
    claims: Claims | None = None
    reason: str = Unauthenticated().message
    withheld: frozenset[Permission] = frozenset()
    is_page: bool = False
    is_confirmed: bool = False
    for_agent: bool = False
    in_background: bool = False

    @property
    def is_own_client(self) -> bool:
        """Return whether the caller can use the workspace's socket or token file."""
        is_own = (
            self.claims is not None and self.claims.own and self.standing is CallerStanding.CLAIMS
        )
        return is_own or self.standing is CallerStanding.OWNER

    @property
    def is_local_user(self) -> bool:
        """Return whether the caller is a program of the daemon's own user on this machine."""
        return self.is_own_client or self.standing is CallerStanding.PEER

    @property
    def scope(self) -> TokenScope:
        """Return the limits of the token, none for an admin (AUTH-17).

        A token of a user is limited to the agent ID that owns the user's memory (AUTH-27).
        """
        if self.claims is None or self.claims.role is Role.ADMIN:
            return NO_SCOPE
        scope = self.claims.scope
        return scope if scope.user is None else replace(scope, agent=ids.of_user(scope.user))

    @property
    def permissions(self) -> frozenset[Permission]:
        if self.claims is not None:
            return PERMISSIONS[self.claims.role] - self.withheld
        return _WITHOUT_CLAIMS.get(self.standing, frozenset()) - self.withheld

    def check(self, rule: AccessRule) -> None:
        """Raise Forbidden if the rule does not accept the caller, Unauthenticated for a stranger."""
        if self.standing is CallerStanding.STRANGER:
            raise Unauthenticated(self.reason)
        if rule.permission not in self.permissions:
            raise self._refusal(rule)
        if rule.permission is Permission.PROGRAMS:
            self._check_consent(rule)

    def _refusal(self, rule: AccessRule) -> Forbidden:
        permission = rule.permission
        if permission in self.withheld:
            return Forbidden(f"'{permission}' is for no other page than Signet's own")
        if self.claims is not None:
            return Forbidden(lacking(self.claims.role, permission))
        if self.is_page:
            return not_proven(
                f"To {rule.does or 'do this'}, open the dashboard with: signet dashboard"
            )
        what = f"To {rule.does}, use: {rule.command}. " if rule.does else ""
        return not_proven(
            f"{what}'{permission}' needs proof that you are the daemon's user: run the signet command, call over the "
            "workspace's socket (.daemon/run/api.sock), or send a token from: signet auth token own"
        )

    def _check_consent(self, rule: AccessRule) -> None:
        if self.for_agent and not rule.for_agents:
            raise not_for_agents(rule.does, rule.command)
        if (self.is_page or self.standing is CallerStanding.PAGE) and not self.is_confirmed:
            raise Forbidden(f"This will {rule.does}", CONFIRM)

    def check_within(self, rule: AccessRule) -> None:
        """Raise ScopeDenied where an operation of this rule ignores a limit of the token."""
        for dimension in self.scope.limits():
            if dimension in EVERY - rule.within:
                raise ScopeDenied(self._restricted(dimension))

    def may(self, rule: AccessRule) -> bool:
        try:
            self.check(rule)
            self.check_within(rule)
        except Forbidden:
            return False
        return True

    @property
    def hidden(self) -> str:
        """Return the owners that lists leave out, as a GLOB pattern: users, for other tokens than an admin's (AUTH-27).

        Empty if no owner is hidden. A token that is limited to a user is held to that user by its scope.
        """
        is_held = self.claims is not None and self.claims.role is not Role.ADMIN
        return f"{ids.USER_PREFIX}*" if is_held and self.scope.user is None else ""

    def hides(self, agent: str | None) -> bool:
        """Return whether lists leave out what this owner has."""
        return agent is not None and bool(self.hidden) and ids.is_of_user(agent)

    def spaces(self, verb: Verb) -> tuple[str, ...] | None:
        """Return the spaces in which the caller has this verb; None for every space (AUTH-32)."""
        if self.in_background:
            return ()
        if self.claims is None or self.claims.own or self.claims.role is Role.ADMIN:
            return None
        return tuple(sorted(space for space, may in self.scope.spaces if may is verb))

    @property
    def barrier(self) -> barrier.Barrier | None:
        """Return what reads can see at all; None for everything."""
        spaces = self.spaces(Verb.READ)
        if spaces is None or self.in_background:
            return None
        seen = tuple(map(ids.of_space, spaces))
        return barrier.Barrier(self.scope.agent or barrier.NO_PERSON, seen)

    def may_in(self, space: str, verb: Verb) -> bool:
        found = self.spaces(verb)
        return found is None or space in found

    def check_space(self, space: str, verb: Verb) -> None:
        """Raise ScopeDenied if the caller lacks a verb in a space."""
        if not self.may_in(space, verb):
            raise ScopeDenied(f"this key may not {verb} in the space '{space}'")

    def check_row(
        self, *, project: str | None = None, agent: str | None = None, visibility: str | None = None
    ) -> None:
        """Raise ScopeDenied unless the caller may use a row of this project and owner: the one rule of ownership.

        Every change of a named row asks here, with the stored row, in the transaction that changes it. A row
        without a project or an owner passes (AUTH-18). What belongs to a user is for that user and admins (AUTH-27).
        A memory of a space belongs to the space, not to its author.
        """
        if visibility and (space := ids.space_of(visibility)):
            self.check_space(space, Verb.WRITE)
            agent = None
        if agent is not None and self.hides(agent):
            named = agent.removeprefix(ids.USER_PREFIX)
            raise ScopeDenied(f"what belongs to user '{named}' is for {named} and admins only")
        for dimension, bound, found in (
            ("project", self.scope.project, project),
            ("agent", self.scope.agent, agent),
        ):
            if bound is not None and found is not None and found != bound:
                raise ScopeDenied(self._restricted(dimension))

    def _restricted(self, dimension: str) -> str:
        """Return the message of a refusal, which names the limit of the token (AUTH-18)."""
        limits = self.scope.limits()
        named = "user" if dimension == "agent" and "user" in limits else dimension
        return f"scope restricted to {named} '{limits[named]}'"


_WITHOUT_CLAIMS = {
    CallerStanding.OWNER: frozenset(Permission),
    CallerStanding.PEER: PEER_PERMISSIONS,
}

OWNER = Caller(standing=CallerStanding.OWNER)
PEER = Caller(standing=CallerStanding.PEER)
STRANGER = Caller(standing=CallerStanding.STRANGER)
BACKGROUND = Caller(standing=CallerStanding.OWNER, in_background=True)

_CURRENT: ContextVar[Caller] = ContextVar("signet_caller", default=BACKGROUND)


def current() -> Caller:
    """Return the caller on whose behalf this code runs."""
    return _CURRENT.get()


def is_certain(agent_id: str) -> bool:
    """Return whether an agent is known without a look at the registry: the default one, the caller's own, or a user."""
    return agent_id in (ids.DEFAULT_AGENT, current().scope.agent) or ids.is_of_user(agent_id)


@contextmanager
def acting_for(caller: Caller) -> Iterator[None]:
    """Run the block on behalf of a caller."""
    seen = None if caller.claims is None else caller.barrier
    before, limit = _CURRENT.set(caller), barrier.CURRENT.set(seen)
    try:
        yield
    finally:
        barrier.CURRENT.reset(limit)
        _CURRENT.reset(before)


def check_settings(before: Raw, after: Raw) -> None:
    """Raise Forbidden for a change of decisive settings that the caller may not make, UnsafeSettings for bad ones."""
    if changed := decisive.changes(before, after):
        does = f"change {', '.join(changed)}"
        current().check(access.programs(does, "signet config set KEY VALUE"))


def check_file(name: str) -> None:
    """Raise Forbidden for a file of the workspace that the caller may not write: agents read it as instructions."""
    current().check(access.programs(f"replace {name}, which agents read", f"an editor, on {name}"))
