"""Who calls, and which rows each may read and change: written here a second time, apart from the code."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from identities.world import GROUPS, MACHINE, PROJECTS, SPACE, VAULT, Group
from signet.domain.auth.tokens import NO_SCOPE, TokenScope
from signet.wire.access import AccessRule, Verb
from support.http import Api
from support.tokens import a_token

READONLY = {"none", "recall"}
AGENT = READONLY | {"remember", "modify", "forget", "recover", "documents"}
OPERATOR = AGENT | {
    "connectors",
    "diagnostics",
    "analytics",
    "metrics",
    "operator",
    "local",
    "speak",
}
ROLES: Mapping[str, Collection[str]] = {
    "readonly": READONLY,
    "agent": AGENT,
    "operator": OPERATOR,
    "admin": OPERATOR | {"admin", "programs"},
}
#: A program of the daemon's user without proof.
PEER = OPERATOR - {"speak"} | {"admin"}
NOT_PROVEN = "not_proven"
#: Kinds of rows that all groups have in common.
MACHINES = {"task", "connector", "secret", "skill", "jti"}
FOREIGN_PAGE = {"origin": "http://localhost:5173", "sec-fetch-site": "same-site"}


@dataclass(frozen=True)
class Identity:
    """A caller; without a role and an `error` it is a program of the daemon's user (a peer).

    `token` is sent instead of one of the role. `error` is what every operation answers a stranger. `asks` are
    the groups that the caller asks for, as `owner/place`.
    """

    name: str
    role: str | None = None
    scope: TokenScope = NO_SCOPE
    asks: str = "ines/garden"
    error: str = ""
    age: timedelta = timedelta(0)
    jti: str | None = None
    token: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)

    def sent(self, api: Api) -> dict[str, str]:
        """Return the headers of its requests; it claims to act for the user."""
        token = self.token
        if self.role:
            token = (
                f"Bearer {a_token(api, self.role, scope=self.scope, age=self.age, jti=self.jti)}"
            )
        shown = {"authorization": token} if token else {}
        return {"x-signet-actor-type": "operator", **self.headers, **shown}

    def refusal(self, rule: AccessRule) -> str:
        """Return the error with which an operation refuses the caller, or nothing."""
        if self.role is None:
            return "" if rule.permission in PEER else NOT_PROVEN
        if rule.permission not in ROLES[self.role]:
            named = "operator" if rule.permission == "local" else rule.permission
            return f"role '{self.role}' lacks '{named}' permission"
        for dimension, value in self.limits.items():
            if ("agent" if dimension == "user" else dimension) not in rule.within:
                return f"scope restricted to {dimension} '{value}'"
        return ""

    @property
    def limits(self) -> dict[str, str]:
        """Return what the token is limited to."""
        return {} if self.is_all else self.scope.limits()

    @property
    def is_all(self) -> bool:
        """Return whether every row is the caller's to use."""
        return self.role in ("admin", None)

    def owns(self, agent: str | None, project: str | None) -> bool:
        """Return whether the caller may read private rows of an owner and project, and change them."""
        if self.is_all:
            return True
        user = self.scope.user
        if agent is not None and agent.startswith("user:") and user is None:
            return False
        wanted = f"user:{user}" if user else self.scope.agent
        return wanted in (None, agent) and self.scope.project in (None, project)

    def changes(self, agent: str | None, project: str | None) -> bool:
        """Return whether the caller may change rows of an owner and project."""
        return self.role != "readonly" and self.owns(agent, project)

    def uses(self, verb: str, group: Group) -> bool:
        """Return whether the caller has a verb for a group's memory in the space."""
        has = self.is_all or (SPACE, verb) in self.scope.spaces
        return has and self.scope.project in (None, group.project)

    def hidden(self) -> set[str]:
        """Return the marks that no answer may contain."""
        found = {VAULT}
        for one in GROUPS:
            if not self.owns(one.agent, one.project):
                found.add(one.secret)
                if self.scope.agent or self.scope.project not in (None, one.project):
                    found.add(one.shared)
        found |= {one.spaced for one in GROUPS if not self.uses("read", one)}
        if self.limits or self.role in ("readonly", "agent"):
            found.add(MACHINE)
        return found

    def readable(self, group: Group) -> set[str]:
        """Return the kinds of rows of a group that are another's and may be read."""
        of_space = {"spaced", "share"} if self.uses("read", group) else set()
        if self.scope.agent or self.scope.project not in (None, group.project):
            return MACHINES | of_space
        return MACHINES | of_space | ({"shared"} if group.is_of_user else {"shared", "document"})

    def groups(self) -> list[Group]:
        """Return the groups whose rows it asks for."""
        return [one for one in GROUPS if f"{one.owner}/{one.place}" in self.asks.split()]


NOBODY = "authentication required"
STRANGERS = (
    Identity("stranger", error=NOBODY),
    Identity("not-a-bearer", token="Basic YTpi", error=NOBODY),
    Identity("nonsense", token="Bearer nonsense", error="malformed token"),
    Identity("forged", token="bearer eyJzdWIiOiJ4In0.AAAA", error="invalid signature"),
    Identity("expired", "admin", age=timedelta(hours=2), error="token expired"),
    Identity("revoked", "admin", jti="gone", error="token revoked"),
    Identity("page", headers=FOREIGN_PAGE, error="This page may not call Signet"),
    Identity(
        "page-with-token", "admin", headers=FOREIGN_PAGE, error="This page may not call Signet"
    ),
)
#: Those whom hybrid mode takes for strangers although they call from this machine.
DISTANT = (
    Identity("handed-on", headers={"x-forwarded-for": "192.0.2.7"}, error="A proxy has handed"),
    Identity(
        "other-host", headers={"host": "signet.example"}, error="does not come from this machine"
    ),
)
READS = frozenset({(SPACE, Verb.READ)})
ALL = frozenset((SPACE, one) for one in Verb)
GARDEN, SHED = PROJECTS["garden"], PROJECTS["shed"]
KNOWN = (
    Identity("readonly", "readonly", asks="jorn/garden alice/garden"),
    Identity("agent", "agent"),
    Identity("alice", "agent", TokenScope(agent="alice"), asks="bob/shed ines/garden"),
    Identity("bob", "operator", TokenScope(agent="bob"), asks="alice/garden jorn/shed"),
    Identity("ines", "agent", TokenScope(user="ines"), asks="jorn/garden alice/garden"),
    Identity("jorn", "operator", TokenScope(user="jorn"), asks="ines/garden default/shed"),
    Identity("garden", "agent", TokenScope(project=GARDEN), asks="alice/shed ines/garden"),
    Identity("shed", "operator", TokenScope(project=SHED), asks="bob/garden jorn/shed"),
    Identity(
        "alice-garden",
        "operator",
        TokenScope(agent="alice", project=GARDEN),
        asks="alice/shed bob/garden",
    ),
    Identity("kim", "agent", TokenScope(user="kim", spaces=READS), asks="ines/garden alice/garden"),
    Identity("lena", "operator", TokenScope(user="lena", spaces=ALL), asks="ines/shed bob/garden"),
    Identity(
        "shed-kim",
        "agent",
        TokenScope(user="kim", project=SHED, spaces=READS),
        asks="ines/garden alice/shed",
    ),
    Identity("operator", "operator"),
    Identity("admin", "admin"),
    Identity("peer"),
)
