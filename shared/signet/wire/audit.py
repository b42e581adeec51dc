"""The audit log."""

from enum import StrEnum
from typing import TypedDict

from signet.wire import access
from signet.wire.operation import get

NDJSON = "application/x-ndjson"


class AuditAction(StrEnum):
    """The actions that are logged; the strings are stored."""

    READ = "read"
    #: Waits for review, entered the space, was refused, left the space.
    PROPOSE = "propose"
    SHARE = "share"
    REFUSE = "refuse"
    WITHDRAW = "withdraw"
    EXPORT = "export"
    #: Forgotten, recovered, and removed with its text.
    FORGET = "forget"
    RECOVER = "recover"
    ERASE = "erase"


class AuditEntry(TypedDict):
    """One action; `number` orders entries.

    `actor` is the subject of the token `key_id`, or owner, peer, page (without a token) or daemon; `agent` is whom the
    token is limited to. `action` is an AuditAction;
    `operation` is the request of a read. `memory_ids` lists at most 200, `count` is the number of all.
    """

    number: int
    at: str
    actor: str
    key_id: str | None
    agent: str | None
    action: str
    operation: str | None
    space: str | None
    memory_ids: list[str]
    count: int


class AuditPage(TypedDict):
    """Entries, oldest first; `next` continues after them, null at the end and with `newest`."""

    entries: list[AuditEntry]
    next: int | None


AUDIT = get("/api/audit", access.ADMIN, AuditPage)
EXPORT_AUDIT = get("/api/audit/export", access.ADMIN, str, media_type=NDJSON)
