"""The named agents of the workspace.

Changes go to agent.yaml first, then to the database, so that neither reverts the other.
"""

import asyncio
import contextlib

from signet import clock
from signet.config import manifest, roster_file
from signet.config.roster_file import NotListed
from signet.db import ReadTx
from signet.domain.agents import registry
from signet.domain.agents.registry import Agent
from signet.domain.memory import leave
from signet.errors import Conflict, Invalid, NotFound
from signet.ids import DEFAULT_AGENT
from signet.wire import agents as wire
from signet.wire.requests.agents import AgentBody
from signet.wire.requests.model import Flag
from signet_api.deps import Shared, State, Who
from signet_api.serving import serves
from signet_api.shapes import as_wire


@serves(wire.AGENTS)
async def get_agents(state: Shared) -> wire.Agents:
    """Return every agent with its policy and number of memories, the default one first."""

    def look(tx: ReadTx) -> list[wire.CountedAgent]:
        counts = registry.counts(tx)
        return [
            {**_row(one), "memories": sum(counts.get(one.id, {}).values())}
            for one in registry.every(tx)
        ]

    return {"agents": await state.db.aread(look)}


@serves(wire.ADD_AGENT)
async def post_agent(body: AgentBody, state: Shared) -> wire.NamedAgent:
    """Add an agent: an entry in agent.yaml, a row, and a folder for its files.

    Its policy is isolated, shared, or group with a `policy_group`.
    """
    wanted = registry.checked(body.name.strip(), body.read_policy, body.policy_group)
    if await state.db.aread(registry.get, wanted.name) is not None:
        raise Conflict("An agent of this name already exists", "agent_exists")
    path = manifest.place(state.workspace)
    await asyncio.to_thread(roster_file.add, path, wanted)
    await asyncio.to_thread(registry.make, state.workspace, wanted.name)
    await state.db.awrite(registry.put, registry.agent_of(wanted), now=clock.now())
    return _row(await _known(state, wanted.name))


@serves(wire.AGENT)
async def get_agent(name: str, state: Shared) -> wire.WholeAgent:
    """Return one agent, its memories by visibility, and its files."""
    found = await _known(state, name)
    counts = await state.db.aread(registry.counts, name)
    own = await asyncio.to_thread(registry.present, state.workspace, name)
    return {**_row(found), "memories": counts.get(name, {}), "files": own}


@serves(wire.REMOVE_AGENT)
async def delete_agent(
    name: str, state: Shared, actor: Who, purge: Flag = False
) -> wire.RemovedAgent:
    """Remove an agent; its memories are archived, or erased with `purge`. Its files stay."""
    if name == DEFAULT_AGENT:
        raise Invalid("The default agent cannot be removed")
    await _known(state, name)
    state.check_writable()
    path = manifest.find(state.workspace)
    if path is not None:
        # It may be named elsewhere, or its entry already removed.
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
