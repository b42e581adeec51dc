"""Agents that work now, and what they say to each other."""

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request

from signet import clock
from signet.domain.agents import messages, presence, relay
from signet.domain.agents.messages import Delivery, Inbox, Message
from signet.domain.agents.models import Presence
from signet.domain.auth.caller import ScopeDenied
from signet.errors import Forbidden, Invalid
from signet.ids import agent_of_session
from signet.wire import agents as wire
from signet.wire.agents import Announced, Messages, SentMessage, Sessions, Withdrawn
from signet.wire.requests.agents import (
    MOST_SESSIONS,
    InboxParams,
    MessageBody,
    MessagesParams,
    PeerParams,
    PresenceBody,
    RelayBody,
    StreamParams,
)
from signet.wire.requests.model import Text
from signet_api.deps import Shared, State, named_agent, project_of
from signet_api.params import LastEvent, Since
from signet_api.peerfeed import PeerFollower, Peers, message_row, session_row
from signet_api.serving import serves
from signet_api.stream import EventStream, polled

#: How often the stream looks for something new.
LOOK_SECONDS = 0.5


class RelayOff(Forbidden):
    """via acp is off: `agents.acp: true` in agent.yaml allows it."""

    code = "acp_disabled"


@serves(wire.PEERS)
async def get_presence(
    request: Request, state: Shared, query: Annotated[PeerParams, Query()]
) -> Sessions:
    """Return the other sessions at work, seen last first; with `include_self` the asking one too."""
    peers = await _peers(request, state, query)
    found = await state.db.aread(peers.read)
    return {"sessions": [session_row(one) for one in found], "count": len(found)}


@serves(wire.ANNOUNCE)
async def post_presence(body: PresenceBody, request: Request, state: Shared) -> Announced:
    """Note that a session is at work; it counts as gone when it is not seen for four hours."""
    harness = body.harness.strip()
    if not harness:
        raise Invalid("harness is required")
    agent_id = await _speaker(state, request, body.agent_id, body.session_key)
    seen = Presence(
        agent_id=agent_id,
        session_key=body.session_key or f"agent:{agent_id}:{harness}",
        harness=harness,
        project=project_of(body.project),
        runtime_path=body.runtime_path,
        provider=body.provider,
    )
    now = clock.now()
    await state.db.awrite_quick(presence.see, seen, now=now)
    stored = await state.db.aread(presence.present, now=now, agent_id=agent_id, limit=MOST_SESSIONS)
    [told] = [one for one in stored if one.session_key == seen.session_key]
    return {"presence": session_row(told)}


@serves(wire.WITHDRAW)
async def delete_presence(
    session_key: str, request: Request, state: Shared, agent_id: Text = None
) -> Withdrawn:
    """Note that a session is not at work any more."""
    speaker = await _speaker(state, request, agent_id, session_key)
    return {"removed": await state.db.awrite_quick(presence.remove, session_key, agent_id=speaker)}


@serves(wire.INBOX)
async def get_messages(
    request: Request, state: Shared, since: Since, query: Annotated[MessagesParams, Query()]
) -> Messages:
    """Return what was sent to an agent, to its session, or to everybody; newest first."""
    whose = await _inbox(request, state, query)
    found = await state.db.aread(messages.inbox, whose, since=since, limit=query.limit)
    return {"items": [message_row(one) for one in found], "count": len(found)}


@serves(wire.SEND_MESSAGE)
async def post_message(body: MessageBody, request: Request, state: Shared) -> SentMessage:
    """Send a message; it waits in the inbox of those it is for."""
    kind = messages.checked(body.content, body.type)
    to_agent, to_session = (body.to_agent_id or "").strip(), (body.to_session_key or "").strip()
    sender = await _speaker(state, request, body.from_agent_id, body.from_session_key)
    message = Message(
        content=body.content,
        type=kind,
        from_agent=sender,
        from_session=body.from_session_key,
        to_agent=to_agent or await _owner(state, to_session),
        to_session=to_session or None,
        is_broadcast=body.broadcast,
        via=body.via,
    )
    if body.via == "acp":
        message = await _relayed(message, body, state)
    elif body.via != "local":
        raise Invalid("via must be local or acp")
    elif not (to_agent or to_session or body.broadcast):
        raise Invalid("toAgentId, toSessionKey or broadcast is required")
    stored = await state.db.awrite(messages.send, message, now=clock.now())
    return {"message": message_row(stored)}


@serves(wire.PEER_EVENTS)
async def get_stream(
    request: Request,
    state: Shared,
    query: Annotated[StreamParams, Query()],
    last_event_id: LastEvent = 0,
) -> EventStream:
    """Tell who comes and goes and what is said, from now on or since `Last-Event-ID`, while the client listens."""
    whose, peers = await _inbox(request, state, query), await _peers(request, state, query)
    follower = PeerFollower(state, whose, peers)
    with state.message_listeners.joining():
        first = await follower.begin(last_event_id)
    more = polled(follower.look, LOOK_SECONDS, lambda: state.is_stopping)
    return EventStream(first, more, state.message_listeners.leave)


async def _peers(request: Request, state: State, query: PeerParams) -> Peers:
    named, key = query.agent_id, query.session_key
    agent_id = await _speaker(state, request, named, key)
    return Peers(
        project=project_of(query.project),
        but=None if query.include_self else key,
        # Who does not say which session asks means all of the agent's own.
        but_agent=agent_id if named and key is None and not query.include_self else None,
        limit=query.limit,
    )


async def _inbox(request: Request, state: State, query: InboxParams) -> Inbox:
    return Inbox(
        agent=await _speaker(state, request, query.agent_id, query.session_key),
        session=query.session_key,
        with_sent=query.include_sent,
        with_broadcast=query.include_broadcast,
    )


async def _speaker(
    state: State, request: Request, named: str | None, session_key: str | None
) -> str:
    """Return in whose name a request acts; raises ScopeDenied for a session of another agent (HK-106)."""
    named = (named or "").strip() or request.headers.get("x-signet-agent-id")
    owner = await _owner(state, session_key)
    agent_id = named_agent(named or owner, None, request.headers)
    if owner is not None and owner != agent_id:
        raise ScopeDenied(f"session '{session_key}' belongs to another agent")
    return agent_id


async def _owner(state: State, session_key: str | None) -> str | None:
    if not session_key:
        return None
    return agent_of_session(session_key) or await state.db.aread(presence.owner, session_key)


async def _relayed(message: Message, asked: MessageBody, state: State) -> Message:
    """Return the message as the relay has taken it or not; raises RelayOff, and Invalid without a target."""
    if not state.settings.agents.acp:
        raise RelayOff
    relayed = asked.acp or RelayBody()
    base_url = relayed.base_url or asked.acp_base_url
    name = relayed.target_agent_name or asked.acp_target_agent_name
    if not base_url or not name:
        raise Invalid("acp.baseUrl and acp.targetAgentName are required")
    wanted_ms = relayed.timeout_ms or asked.acp_timeout_ms or relay.SECONDS * 1000
    seconds = min(max(wanted_ms / 1000, 0.1), relay.MOST_SECONDS)
    error = await asyncio.to_thread(relay.send, base_url, name, message.content, seconds=seconds)
    status = Delivery.DELIVERED if error is None else Delivery.FAILED
    return replace(message, status=status, error=error)
