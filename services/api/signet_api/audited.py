"""Note reads for the audit log: in the modes with keys, every request that shows memories (AUTH-33).

Routes name the memories that they show; the rest follows from the operation and the caller. Entries are written in
batches after the answers, so no read waits for a write.
"""

from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any

from signet import clock
from signet.domain.audit import log
from signet.domain.injections.models import Injection, ItemKind
from signet.wire.access import AccessRule, Permission
from signet.wire.audit import AuditAction

#: The permissions of operations that read.
_READS = frozenset({Permission.RECALL, Permission.DOCUMENTS})
#: The IDs of memories that the answer to the current request shows, as keys; None where no one notes them.
SHOWN: ContextVar[dict[str, None] | None] = ContextVar("signet_shown", default=None)


def injected(injection: Injection) -> None:
    """Note the memories that a session receives."""
    if (noted := SHOWN.get()) is not None:
        given = (one for one in injection.items if one.is_given)
        noted.update((one.id, None) for one in given if one.kind is ItemKind.MEMORY)


class NotedRead:
    """What one request shows."""

    def __init__(self, rule: AccessRule, method: str) -> None:
        self._is_read = rule.permission in _READS and not (
            rule.permission is Permission.DOCUMENTS and method != "GET"
        )
        self._noted: dict[str, None] = {}
        self.status = 0
        SHOWN.set(self._noted)

    def entry(self, scope: MutableMapping[str, Any]) -> log.Audited | None:
        """Return the entry of an answered request; None for one that was refused or shows nothing of memory."""
        if self.status >= 400 or not (self._is_read or self._noted):
            return None
        named = scope.get("path_params", {}).get("memory_id")
        return log.by_caller(
            AuditAction.READ,
            now=clock.now(),
            operation=getattr(scope.get("route"), "operation_id", None),
            memory_ids=tuple(dict.fromkeys([*([named] if named else []), *self._noted])),
        )
