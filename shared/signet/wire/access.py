"""Who may call an operation: permission, scope and rate limit."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a token is for."""

    ADMIN = "admin"
    OPERATOR = "operator"
    AGENT = "agent"
    READONLY = "readonly"


class Permission(StrEnum):
    """What an operation asks of its caller.

    `none` is for every caller who is known at all. `speak` is to decide as the user, and to save something as the
    user's own words; a save that claims this without it is lowered. `programs` is to make the machine run something,
    or to change who is trusted. `operator` and `local` (administration of the machine itself) are marks of operations:
    who has them is decided by the role.
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
    """What is rate-limited; the names of `auth.rateLimits` in agent.yaml."""

    FORGET = "forget"
    MODIFY = "modify"
    BATCH_FORGET = "batchForget"
    FORCE_DELETE = "forceDelete"
    ADMIN = "admin"


#: The parts of a token's scope by which an operation can limit what it shows and changes.
EVERY = frozenset({"project", "agent"})
ONLY_AGENT = frozenset({"agent"})
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rule:
    """What an operation asks of its caller.

    `limit` is the rate limit that each call counts against. `within` names the parts of a token's scope that the
    operation keeps to; a token that is limited in any other part is refused, because the operation would show or change
    what lies outside. `is_open` lets callers without a token in, in every mode.

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

    Callers are the user's own clients, admins, and the dashboard after the user has confirmed that exact request.
    `does` completes "This will …"; `command` does the same from a terminal. Agents may call only what is `for_agents`.
    `for_peers`: so may the user's other programs, outside of sandboxes and agents' shells (SE-23).
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
#: Documents and entities have owners, but belong to no project.
DOCUMENTS = Rule(Permission.DOCUMENTS, within=ONLY_AGENT)
PIN = Rule(Permission.MODIFY, within=ONLY_AGENT)
#: What follows is about the whole store. OPERATOR is for upkeep, which runs no programs and changes no trust.
OPERATOR = Rule(Permission.OPERATOR)
#: What follows only reads: a change is either upkeep or in the programs class (wire/operation.py).
CONNECTORS = Rule(Permission.CONNECTORS)
DIAGNOSTICS = Rule(Permission.DIAGNOSTICS)
ANALYTICS = Rule(Permission.ANALYTICS)
ADMIN = Rule(Permission.ADMIN)
LOCAL = Rule(Permission.LOCAL)
#: Writes settings. Decisive ones (config/decisive.py) are in the programs class.
SETTINGS = Rule(Permission.ADMIN, does="change settings", command="signet config set KEY VALUE")
