"""Roles and the permissions of each. Pure."""

from collections.abc import Mapping

from signet.wire.access import Permission, Role

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
}
#: A program of the daemon's user that proves nothing else may be an agent's: it runs nothing and does not speak as
#: the user.
PEER_PERMISSIONS = _ADMIN - {Permission.PROGRAMS, Permission.SPEAK}


def lacking(role: Role, permission: Permission) -> str:
    """Return the message of a refusal (AUTH-13)."""
    named = Permission.OPERATOR if permission is Permission.LOCAL else permission
    return f"role '{role}' lacks '{named}' permission"
