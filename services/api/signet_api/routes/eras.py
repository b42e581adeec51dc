"""What was remembered today, in the last week and in the last month."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.browse import eras
from signet.wire import memory as wire
from signet.wire.memory import MemoryTimeline
from signet.wire.requests.model import Text
from signet_api.deps import Db
from signet_api.params import Agent
from signet_api.serving import serves


@serves(wire.MEMORY_TIMELINE)
async def get_memory_timeline(agent: Agent, db: Db, scope: Text = None) -> MemoryTimeline:
    """Return three eras, each within the next: counts, mean importance, and the most frequent types, authors, tags."""
    return await db.aread(_eras, agent, scope, clock.now())


def _eras(tx: ReadTx, agent_id: str, scope: str | None, now: datetime) -> MemoryTimeline:
    return eras.of(tx, reader=agents.reader(tx, agent_id, scope=scope), now=now)
