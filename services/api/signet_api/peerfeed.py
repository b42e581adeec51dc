"""Tells a client who comes and goes among the agents, and what is said to it: the stream of `/api/cross-agent`."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import messages, presence
from signet.domain.agents.messages import Inbox, Message
from signet.domain.agents.presence import Presence
from signet_api.deps import State

MOST_MESSAGES = 500
#: What a stream begins with.
FIRST_MESSAGES = 20
#: How often it looks for something new.
LOOK_SECONDS = 0.5


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
    """One client of the stream: what it was told last."""

    state: State
    whose: Inbox
    peers: Peers
    _seen: list[tuple[str, str]] = field(default_factory=list)
    _last: int = 0

    async def begin(self, last: int) -> bytes:
        """Return the beginning: who is there, and the newest messages, or all behind the number `last`."""
        look = await self.state.db.aread(
            self._look, last, MOST_MESSAGES if last else FIRST_MESSAGES
        )
        self._note(look)
        told = {
            "presence": [session_row(one) for one in look.sessions],
            "messages": [message_row(one) for one in look.messages],
        }
        hello = {"agentId": self.whose.agent, "sessionKey": self.whose.session}
        return _event("connected", hello) + _event("snapshot", told, self._last)

    async def more(self) -> bytes | None:
        """Return what is new as events, None when the daemon stops."""
        while not self.state.feed.is_closed:
            look = await self.state.db.aread(self._look, self._last, MOST_MESSAGES)
            told = b"".join(
                _event("message", {"message": message_row(one)}, one.seq)
                for one in reversed(look.messages)
            )
            if _keys(look.sessions) != self._seen:
                sessions = [session_row(one) for one in look.sessions]
                told += _event("presence", {"sessions": sessions, "count": len(sessions)})
            self._note(look)
            if told:
                return told
            await asyncio.sleep(LOOK_SECONDS)
        return None

    def leave(self) -> None:
        """Make room for another listener."""
        self.state.message_listeners -= 1

    def _look(self, tx: ReadTx, after: int, limit: int) -> _Look:
        return _Look(
            sessions=self.peers.read(tx),
            messages=messages.inbox(tx, self.whose, after=after, limit=limit),
            last=messages.last(tx),
        )

    def _note(self, look: _Look) -> None:
        self._seen, self._last = _keys(look.sessions), look.last


def _keys(sessions: list[Presence]) -> list[tuple[str, str]]:
    return sorted((one.agent_id, one.session_key) for one in sessions)


def session_row(one: Presence) -> dict[str, object]:
    """Return a session as clients see it."""
    return {
        "sessionKey": one.session_key,
        "agentId": one.agent_id,
        "harness": one.harness,
        "project": one.project,
        "runtimePath": one.runtime_path,
        "provider": one.provider,
        "startedAt": one.started_at,
        "lastSeenAt": one.seen_at,
    }


def message_row(one: Message) -> dict[str, object]:
    """Return a message as clients see it."""
    return {
        "id": one.id,
        "createdAt": one.created_at,
        "fromAgentId": one.from_agent,
        "fromSessionKey": one.from_session,
        "toAgentId": one.to_agent,
        "toSessionKey": one.to_session,
        "broadcast": one.is_broadcast,
        "type": one.type,
        "content": one.content,
        "deliveryPath": one.via,
        "deliveryStatus": one.status,
        "deliveryError": one.error,
    }


def _event(name: str, data: Mapping[str, object], number: int | None = None) -> bytes:
    text = json.dumps({"type": name, **data}, ensure_ascii=False, separators=(",", ":"))
    head = "" if number is None else f"id: {number}\n"
    return f"{head}event: {name}\ndata: {text}\n\n".encode()
