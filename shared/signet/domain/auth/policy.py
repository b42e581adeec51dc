"""Roles and what each of them may do. Pure."""

from collections.abc import Mapping
from enum import StrEnum


class Role(StrEnum):
    """What a token is for."""

    ADMIN = "admin"
    OPERATOR = "operator"
    AGENT = "agent"
    READONLY = "readonly"


class Permission(StrEnum):
    """What a route asks of its caller.

    `none` is for everybody who is known at all. `operator` and `local` (administration of the machine itself)
    are marks of routes: who has them is decided by the role.
    """

    NONE = "none"
    RECALL = "recall"
    REMEMBER = "remember"
    MODIFY = "modify"
    FORGET = "forget"
    RECOVER = "recover"
    DOCUMENTS = "documents"
    CONNECTORS = "connectors"
    DIAGNOSTICS = "diagnostics"
    ANALYTICS = "analytics"
    ADMIN = "admin"
    OPERATOR = "operator"
    LOCAL = "local"


#: What routes are marked with and nobody is given by name.
MARKS = frozenset({Permission.NONE, Permission.OPERATOR, Permission.LOCAL})


class Operation(StrEnum):
    """What is rate-limited; the names of `auth.rateLimits` in agent.yaml."""

    FORGET = "forget"
    MODIFY = "modify"
    BATCH_FORGET = "batchForget"
    FORCE_DELETE = "forceDelete"
    ADMIN = "admin"
    CROSS_AGENT_MESSAGE = "cross-agent-message"


_READONLY = frozenset({Permission.NONE, Permission.RECALL})
_AGENT = _READONLY | {
    Permission.REMEMBER,
    Permission.MODIFY,
    Permission.FORGET,
    Permission.RECOVER,
    Permission.DOCUMENTS,
}
_ADMIN = frozenset(Permission)
#: What each role may do.
PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.ADMIN: _ADMIN,
    Role.OPERATOR: _ADMIN - {Permission.ADMIN},
    Role.AGENT: _AGENT,
    Role.READONLY: _READONLY,
}


def allows(role: Role, permission: Permission) -> bool:
    """Tell whether a role has a permission."""
    return permission in PERMISSIONS[role]


def lacking(role: Role, permission: Permission) -> str:
    """Return the words of a refusal (AUTH-13)."""
    named = Permission.OPERATOR if permission is Permission.LOCAL else permission
    return f"role '{role}' lacks '{named}' permission"
