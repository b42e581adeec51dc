"""Messages between agents: stored, so that a message waits for an agent that is away (HK-105)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.agents import sql
from signet.errors import Invalid
from signet.ids import agent_of_session, new_ordered_id

MAX_CONTENT = 65_536
#: Older messages are removed when the next one is sent.
LIFE = timedelta(days=30)
#: How many of them at once, so that no sender waits for a backlog.
_MOST_OLD = 100


#: How their texts are read with an agent of theirs, as senders and as receivers, and how one is written.
TEXTS = ((sql.MESSAGES_FROM, sql.CLEAN_MESSAGE), (sql.MESSAGES_TO, sql.CLEAN_MESSAGE))


class MessageType(StrEnum):
    """What a message is for."""

    ASSIST_REQUEST = "assist_request"
    DECISION_UPDATE = "decision_update"
    INFO = "info"
    QUESTION = "question"


class Delivery(StrEnum):
    """Whether a message has reached those it is for."""

    DELIVERED = "delivered"
    FAILED = "failed"


class Message(NamedTuple):
    """One message; `seq` is the order in which they were sent, 0 for one that is not stored yet."""

    content: str
    from_agent: str
    type: MessageType = MessageType.INFO
    from_session: str | None = None
    to_agent: str | None = None
    to_session: str | None = None
    is_broadcast: bool = False
    via: str = "local"
    status: Delivery = Delivery.DELIVERED
    error: str | None = None
    id: str = ""
    seq: int = 0
    created_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """Whose messages are read: those to the agent, and to its session if one is named, else to all of its sessions.

    A session is not sent its own broadcasts. A reader without a session is: it may be any of the agent's clients.
    """

    agent: str
    session: str | None = None
    with_sent: bool = False
    with_broadcast: bool = True


def checked(content: str, type: str | None) -> MessageType:
    """Return the type of a message; raises Invalid for a message that cannot be sent."""
    if not content.strip():
        raise Invalid("content is required")
    if len(content) > MAX_CONTENT:
        raise Invalid(f"content may have {MAX_CONTENT} characters")
    if type is not None and type not in set(MessageType):
        raise Invalid(f"unsupported message type '{type}'")
    return MessageType(type or MessageType.INFO)


def send(tx: WriteTx, message: Message, *, now: datetime) -> Message:
    """Store a message and return it as it is stored; very old ones are deleted."""
    values: Mapping[str, object] = {
        "id": new_ordered_id(),
        "from_agent": message.from_agent,
        "from_session": message.from_session,
        "to_agent": message.to_agent or agent_of_session(message.to_session),
        "to_session": message.to_session,
        "broadcast": message.is_broadcast,
        "type": message.type,
        "content": message.content,
        "via": message.via,
        "status": message.status,
        "error": message.error,
        "at": clock.to_text(now),
    }
    tx.run(sql.ADD_MESSAGE, values)
    tx.run(sql.DELETE_OLD_MESSAGES, (_MOST_OLD, clock.to_text(now - LIFE)))
    [stored] = tx.rows(Message, sql.MESSAGE_BY_ID, (values["id"],))
    return stored


def inbox(
    tx: ReadTx, whose: Inbox, *, since: str | None = None, after: int = 0, limit: int = 100
) -> list[Message]:
    """Return messages, newest first: sent since an instant, and behind the one with the number `after`."""
    asked = {
        "agent": whose.agent,
        "session": whose.session,
        "sent": whose.with_sent,
        "broadcast": whose.with_broadcast,
        "since": since,
        "after": after,
        "limit": limit,
    }
    return tx.rows(Message, sql.MESSAGES, asked)


def last(tx: ReadTx) -> int:
    """Return the number of the newest message of all, 0 without any."""
    return int(tx.value(sql.LAST_MESSAGE))
