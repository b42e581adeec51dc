"""Roles and what each of them may do. Pure."""

from collections.abc import Mapping

from signet.wire.access import Permission, Role

#: What routes are marked with and no role is given by name.
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
