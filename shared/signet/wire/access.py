"""Permissions, scopes and rate limits of operations."""

from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    ADMIN = "admin"
    OPERATOR = "operator"
    AGENT = "agent"
    READONLY = "readonly"
    MONITOR = "monitor"


class Permission(StrEnum):
    """Permission that an operation requires.

    `none` allows every identified caller. `speak` allows deciding as the user, and saving the user's own words; a
    save that claims them without it is lowered. `programs` allows making the machine run something, or changing who
    is trusted. `operator` and `local` (administration of the machine) mark operations; the role decides who has them.
    """

    NONE = "none"
    RECALL = "recall"
    REMEMBER = "remember"
    SPEAK = "speak"
    MODIFY = "modify"
    FORGET = "forget"
    RECOVER = "recover"
    DOCUMENTS = "documents"
    CONNECTORS = "connectors"
    DIAGNOSTICS = "diagnostics"
    ANALYTICS = "analytics"
    METRICS = "metrics"
    ADMIN = "admin"
    PROGRAMS = "programs"
    OPERATOR = "operator"
    LOCAL = "local"


class Verb(StrEnum):
    """What a key may do in a space.

    `read`: receive its memories. `promote`: share memories into it and withdraw them. `write`: change and forget its
    memories, withdraw those of others, and decide about proposals.
    """

    READ = "read"
    WRITE = "write"
    PROMOTE = "promote"


class Quota(StrEnum):
    """Rate-limited groups of operations; the names of `auth.rateLimits` in agent.yaml."""

    FORGET = "forget"
    MODIFY = "modify"
    BATCH_FORGET = "batchForget"
    FORCE_DELETE = "forceDelete"
    ADMIN = "admin"


#: Parts of a token's scope that operations can enforce.
EVERY = frozenset({"project", "agent"})
ONLY_AGENT = frozenset({"agent"})
NONE: frozenset[str] = frozenset()


class AccessRule(NamedTuple):
    """The requirements of an operation.

    `limit` is the rate limit of each call. `within` names the parts of a token's scope that the operation enforces; a
    token limited in another part is refused, because the operation would show or change rows outside its scope.
    `is_open` allows callers without a token, in every mode.

    `does`, `command`, `for_agents` and `for_peers` belong to the programs class, see `programs`.
    """

    permission: Permission
    limit: Quota | None = None
    within: frozenset[str] = NONE
    is_open: bool = False
    does: str = ""
    command: str = ""
    for_agents: bool = False
    for_peers: bool = False


def programs(
    does: str,
    command: str,
    *,
    limit: Quota | None = None,
    for_agents: bool = False,
    for_peers: bool = False,
) -> AccessRule:
    """Return the rule of an operation that can make the machine run something or change who is trusted.

    Callers are the user's own clients, admins, and the dashboard after the user has confirmed the exact request.
    `does` completes "This will …"; `command` is the terminal equivalent. Agents may call it only with `for_agents`.
    `for_peers` also allows the user's other programs, outside sandboxes and agents' shells (SE-23).
    """
    return AccessRule(
        Permission.PROGRAMS,
        limit,
        does=does,
        command=command,
        for_agents=for_agents,
        for_peers=for_peers,
    )


OPEN = AccessRule(Permission.NONE, within=EVERY, is_open=True)
KNOWN = AccessRule(Permission.NONE, within=EVERY)
RECALL = AccessRule(Permission.RECALL, within=EVERY)
REMEMBER = AccessRule(Permission.REMEMBER, within=EVERY)
RECOVER = AccessRule(Permission.RECOVER, within=EVERY)
MODIFY = AccessRule(Permission.MODIFY, Quota.MODIFY, EVERY)
REVIEW = AccessRule(Permission.SPEAK, Quota.MODIFY, EVERY)
FORGET = AccessRule(Permission.FORGET, Quota.FORGET, EVERY)
FORGET_MANY = AccessRule(Permission.FORGET, Quota.BATCH_FORGET, EVERY)
JOBS = AccessRule(Permission.DIAGNOSTICS, within=EVERY)
JOBS_CHANGE = AccessRule(Permission.OPERATOR, within=EVERY)
#: Documents and entities have owners but no project.
DOCUMENTS = AccessRule(Permission.DOCUMENTS, within=ONLY_AGENT)
PIN = AccessRule(Permission.MODIFY, within=ONLY_AGENT)
#: The following apply to the whole store. OPERATOR is for maintenance, which runs no programs and changes no trust.
OPERATOR = AccessRule(Permission.OPERATOR)
#: The following only read: a change is maintenance or in the programs class (wire/operation.py).
CONNECTORS = AccessRule(Permission.CONNECTORS)
DIAGNOSTICS = AccessRule(Permission.DIAGNOSTICS)
ANALYTICS = AccessRule(Permission.ANALYTICS)
METRICS = AccessRule(Permission.METRICS)
ADMIN = AccessRule(Permission.ADMIN)
LOCAL = AccessRule(Permission.LOCAL)
#: Writes files of the workspace; a change of their effect is in the programs class (config/decisive.py).
SETTINGS = AccessRule(
    Permission.ADMIN, does="change settings", command="signet config set KEY VALUE"
)
