"""Permissions, scopes and rate limits of operations."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    ADMIN = "admin"
    OPERATOR = "operator"
    AGENT = "agent"
    READONLY = "readonly"


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
    ADMIN = "admin"
    PROGRAMS = "programs"
    OPERATOR = "operator"
    LOCAL = "local"


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


@dataclass(frozen=True, slots=True)
class Rule:
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
) -> Rule:
    """Return the rule of an operation that can make the machine run something or change who is trusted.

    Callers are the user's own clients, admins, and the dashboard after the user has confirmed the exact request.
    `does` completes "This will …"; `command` is the terminal equivalent. Agents may call it only with `for_agents`.
    `for_peers` also allows the user's other programs, outside sandboxes and agents' shells (SE-23).
    """
    return Rule(
        Permission.PROGRAMS,
        limit,
        does=does,
        command=command,
        for_agents=for_agents,
        for_peers=for_peers,
    )


OPEN = Rule(Permission.NONE, within=EVERY, is_open=True)
KNOWN = Rule(Permission.NONE, within=EVERY)
RECALL = Rule(Permission.RECALL, within=EVERY)
REMEMBER = Rule(Permission.REMEMBER, within=EVERY)
RECOVER = Rule(Permission.RECOVER, within=EVERY)
MODIFY = Rule(Permission.MODIFY, Quota.MODIFY, EVERY)
REVIEW = Rule(Permission.SPEAK, Quota.MODIFY, EVERY)
FORGET = Rule(Permission.FORGET, Quota.FORGET, EVERY)
FORGET_MANY = Rule(Permission.FORGET, Quota.BATCH_FORGET, EVERY)
JOBS = Rule(Permission.DIAGNOSTICS, within=EVERY)
JOBS_CHANGE = Rule(Permission.OPERATOR, within=EVERY)
#: Documents and entities have owners but no project.
DOCUMENTS = Rule(Permission.DOCUMENTS, within=ONLY_AGENT)
PIN = Rule(Permission.MODIFY, within=ONLY_AGENT)
#: The following apply to the whole store. OPERATOR is for maintenance, which runs no programs and changes no trust.
OPERATOR = Rule(Permission.OPERATOR)
#: The following only read: a change is maintenance or in the programs class (wire/operation.py).
CONNECTORS = Rule(Permission.CONNECTORS)
DIAGNOSTICS = Rule(Permission.DIAGNOSTICS)
ANALYTICS = Rule(Permission.ANALYTICS)
ADMIN = Rule(Permission.ADMIN)
LOCAL = Rule(Permission.LOCAL)
#: Writes settings. Decisive ones (config/decisive.py) are in the programs class.
SETTINGS = Rule(Permission.ADMIN, does="change settings", command="signet config set KEY VALUE")
