"""The stream of `/api/cross-agent`: which sessions of agents come and go, and the messages to one of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import messages, presence
from signet.domain.agents.messages import Inbox, Message
from signet.domain.agents.models import Presence
from signet.domain.sessions import inbox
from signet.wire.agents import AgentMessage, PresentSession
from signet.wire.requests.agents import MOST_MESSAGES
from signet_api.deps import State
from signet_api.shapes import as_wire
from signet_api.stream import message

#: What a stream begins with.
FIRST_MESSAGES, FIRST_SESSIONS = 20, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """Which sessions somebody asks for."""

    project: str | None
    but: str | None
    but_agent: str | None
    limit: int

    def read(self, tx: ReadTx) -> list[Presence]:
        """Return those that are at work now."""
        return presence.present(
            tx,
            now=clock.now(),
            project=self.project,
            but=self.but,
            but_agent=self.but_agent,
            limit=self.limit,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What is there at one moment; `last` is the number of the newest message of all."""

    sessions: list[Presence]
    messages: list[Message]
    last: int


@dataclass(slots=True)
class PeerFollower:
    """One client of the stream, and what it was sent last."""

    state: State
    whose: Inbox
    peers: Peers
    _seen: dict[tuple[str, str], Presence] = field(default_factory=dict)
    _last: int = 0

    async def begin(self, last: int) -> bytes:
        """Return the beginning: who is there, and the newest messages, or all behind the number `last`."""
        look = await self.state.db.aread(
            self._look, last, MOST_MESSAGES if last else FIRST_MESSAGES
        )
        self._note(look)
        snapshot = {
            "presence": [session_row(one) for one in look.sessions[:FIRST_SESSIONS]],
            "messages": [message_row(one) for one in look.messages],
        }
        hello = {
            "agentId": self.whose.agent,
            "sessionKey": self.whose.session,
            "project": self.peers.project,
        }
        return _event("connected", hello) + _event("snapshot", snapshot, self._last)

    async def look(self) -> bytes:
        """Return what is new as events."""
        look = await self.state.db.aread(self._look, self._last, MOST_MESSAGES)
        events = [
            _event("message", {"message": message_row(one)}, one.seq)
            for one in reversed(look.messages)
        ]
        events += self._changes(_by_key(look.sessions))
        self._note(look)
        return b"".join(events)

    def _look(self, tx: ReadTx, after: int, limit: int) -> _Look:
        return _Look(
            sessions=self.peers.read(tx),
            messages=inbox.read(tx, self.whose, after=after, limit=limit),
            last=messages.last(tx),
        )

    def _changes(self, present: Mapping[tuple[str, str], Presence]) -> list[bytes]:
        """Return an event for each session that came, changed or left since the last look."""
        changed = [
            ("upsert", one)
            for key, one in present.items()
            if key not in self._seen or self._seen[key]._replace(seen_at=one.seen_at) != one
        ]
        changed += [("remove", one) for key, one in self._seen.items() if key not in present]
        return [
            _event(
                "presence",
                {"action": action, "presence": session_row(one), "activeCount": len(present)},
            )
            for action, one in changed
        ]

    def _note(self, look: _Look) -> None:
        self._seen, self._last = _by_key(look.sessions), look.last


def _by_key(sessions: list[Presence]) -> dict[tuple[str, str], Presence]:
    return {(one.agent_id, one.session_key): one for one in sessions}


def session_row(one: Presence) -> PresentSession:
    """Return a session as clients see it."""
    return as_wire(PresentSession, one, lastSeenAt=one.seen_at)


def message_row(one: Message) -> AgentMessage:
    """Return a message as clients see it."""
    return as_wire(
        AgentMessage,
        one,
        fromAgentId=one.from_agent,
        fromSessionKey=one.from_session,
        toAgentId=one.to_agent,
        toSessionKey=one.to_session,
        broadcast=one.is_broadcast,
        deliveryPath=one.via,
        deliveryStatus=one.status,
        deliveryError=one.error,
    )


def _event(type: str, data: Mapping[str, object], number: int | None = None) -> bytes:
    return message({"type": type, **data, "timestamp": clock.to_text(clock.now())}, id=number)
