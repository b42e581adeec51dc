"""The named agents of the workspace, those that work now, and what they say to each other.

To add or remove one, agent.yaml is changed first and the database follows it, so that neither undoes the other.
"""

import asyncio
import contextlib
from typing import Annotated

from fastapi import Query, Request

from signet import clock
from signet.config import manifest, roster_file
from signet.config.roster_file import NotListed
from signet.db import ReadTx
from signet.domain.agents import files, messages, presence, registry, relay, roster
from signet.domain.agents.messages import Delivery, Inbox, Message
from signet.domain.agents.models import Agent, Presence
from signet.domain.auth.caller import ScopeDenied
from signet.domain.memory import leave
from signet.domain.sessions import inbox
from signet.errors import Conflict, Forbidden, Invalid, NotFound
from signet.ids import DEFAULT_AGENT, agent_of_session
from signet.text.masking import Masked, mask
from signet.wire import agents as wire
from signet.wire.requests.agents import (
    AgentBody,
    InboxParams,
    MessageBody,
    MessagesParams,
    PeerParams,
    PresenceBody,
    RelayBody,
    StreamParams,
)
from signet.wire.requests.model import Flag, Text
from signet_api.deps import Shared, State, Who, named_agent, project_of
from signet_api.following import polled
from signet_api.params import LastEvent, Since
from signet_api.peerfeed import PeerFollower, Peers, message_row, session_row
from signet_api.serving import serves
from signet_api.shapes import as_wire
from signet_api.stream import EventStream


@serves(wire.AGENTS)
async def get_agents(state: Shared) -> wire.Agents:
    """Return every agent with its policy and how many memories it has, the default one first."""

    def look(tx: ReadTx) -> list[wire.CountedAgent]:
        counts = registry.counts(tx)
        return [
            {**_row(one), "memories": sum(counts.get(one.id, {}).values())}
            for one in registry.every(tx)
        ]

    return {"agents": await state.db.aread(look)}


@serves(wire.ADD_AGENT)
async def post_agent(body: AgentBody, state: Shared) -> wire.NamedAgent:
    """Name an agent: an entry in agent.yaml, a row, and a folder for its own files."""
    wanted = roster.checked(body.name.strip(), body.read_policy, body.policy_group)
    if await state.db.aread(registry.get, wanted.name) is not None:
        raise Conflict("There is an agent of this name already", "agent_exists")
    path = manifest.place(state.workspace)
    await asyncio.to_thread(roster_file.add, path, wanted)
    await asyncio.to_thread(files.make, state.workspace, wanted.name)
    await state.db.awrite(registry.put, roster.agent_of(wanted), now=clock.now())
    return _row(await _known(state, wanted.name))


@serves(wire.AGENT)
async def get_agent(name: str, state: Shared) -> wire.WholeAgent:
    """Return one agent, its memories by visibility, and its own files."""
    found = await _known(state, name)
    counts = await state.db.aread(registry.counts, name)
    own = await asyncio.to_thread(files.present, state.workspace, name)
    return {**_row(found), "memories": counts.get(name, {}), "files": own}


@serves(wire.REMOVE_AGENT)
async def delete_agent(
    name: str, state: Shared, actor: Who, purge: Flag = False
) -> wire.RemovedAgent:
    """Remove an agent; its memories are archived, or with `purge=true` erased. Its files stay."""
    if name == DEFAULT_AGENT:
        raise Invalid("The default agent cannot be removed")
    await _known(state, name)
    state.check_writable()
    path = manifest.find(state.workspace)
    if path is not None:
        # It may have been named elsewhere, or its entry taken out already.
        with contextlib.suppress(NotListed):
            await asyncio.to_thread(roster_file.remove, path, name)
    step = leave.erase if purge else leave.archive
    while await state.db.awrite(step, name, actor=actor, now=clock.now()):
        pass
    await state.db.awrite(registry.remove, name)
    return {"success": True, "purged": purge}


async def _known(state: State, name: str) -> Agent:
    found = await state.db.aread(registry.get, name)
    if found is None:
        raise NotFound(f"Agent '{name}' not found")
    return found


def _row(agent: Agent) -> wire.NamedAgent:
    return as_wire(wire.NamedAgent, agent, name=agent.name or agent.id)


#: How often the stream looks for something new.
LOOK_SECONDS = 0.5


@serves(wire.PEERS)
async def get_presence(
    request: Request, state: Shared, query: Annotated[PeerParams, Query()]
) -> wire.Sessions:
    """Return the other sessions at work, seen last first; with `include_self` the asking one too."""
    peers = await _peers(request, state, query)
    found = await state.db.aread(peers.read)
    return {"sessions": [session_row(one) for one in found], "count": len(found)}


@serves(wire.ANNOUNCE)
async def post_presence(body: PresenceBody, request: Request, state: Shared) -> wire.Announced:
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
    stored = await state.db.awrite_quick(presence.see, seen, now=clock.now())
    return {"presence": session_row(stored)}


@serves(wire.WITHDRAW)
async def delete_presence(
    session_key: str, request: Request, state: Shared, agent_id: Text = None
) -> wire.Withdrawn:
    """Note that a session is not at work any more."""
    speaker = await _speaker(state, request, agent_id, session_key)
    return {"removed": await state.db.awrite_quick(presence.remove, session_key, agent_id=speaker)}


@serves(wire.INBOX)
async def get_messages(
    request: Request, state: Shared, since: Since, query: Annotated[MessagesParams, Query()]
) -> wire.Messages:
    """Return what was sent to an agent, to its session, or to everybody; newest first."""
    whose = await _inbox(request, state, query)
    found = await state.db.aread(inbox.read, whose, since=since, limit=query.limit)
    return {"items": [message_row(one) for one in found], "count": len(found)}


@serves(wire.SEND_MESSAGE)
async def post_message(body: MessageBody, request: Request, state: Shared) -> wire.SentMessage:
    """Send a message; it waits in the inbox of those it is for."""
    kind = messages.checked(body.content, body.type)
    to_agent, to_session = (body.to_agent_id or "").strip(), (body.to_session_key or "").strip()
    sender = await _speaker(state, request, body.from_agent_id, body.from_session_key)
    masks = state.settings.memory.mask_secrets
    said = mask(body.content) if masks else Masked(body.content)
    message = Message(
        content=said.text,
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
    sent: wire.SentMessage = {"message": message_row(stored)}
    if said.kinds:
        sent["masked"] = list(said.kinds)
    return sent


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
    more = polled(state, follower.look, LOOK_SECONDS)
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
    """Return the message as the relay has taken it or not; raises Forbidden, or Invalid without a target."""
    if not state.settings.agents.acp:
        raise Forbidden(
            "via acp is off: `agents.acp: true` in agent.yaml allows it", "acp_disabled"
        )
    relayed = asked.acp or RelayBody()
    base_url = relayed.base_url or asked.acp_base_url
    name = relayed.target_agent_name or asked.acp_target_agent_name
    if not base_url or not name:
        raise Invalid("acp.baseUrl and acp.targetAgentName are required")
    wanted_ms = relayed.timeout_ms or asked.acp_timeout_ms or relay.SECONDS * 1000
    seconds = min(max(wanted_ms / 1000, 0.1), relay.MOST_SECONDS)
    error = await asyncio.to_thread(relay.send, base_url, name, message.content, seconds=seconds)
    status = Delivery.DELIVERED if error is None else Delivery.FAILED
    return message._replace(status=status, error=error)
