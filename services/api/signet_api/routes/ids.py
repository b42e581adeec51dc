"""Find ids by their beginning, so that people need not write all of one."""

from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.memory import lookup
from signet.wire import memory as wire
from signet_api.deps import Db
from signet_api.params import Agent
from signet_api.serving import serves


@serves(wire.MEMORY_IDS)
async def get_ids(prefix: str, agent: Agent, db: Db) -> wire.Ids:
    """Return the ids of memories that begin so, at most ten, those of forgotten ones too."""
    return {"ids": await db.aread(_ids, prefix, agent)}


def _ids(tx: ReadTx, prefix: str, agent_id: str) -> list[str]:
    return lookup.ids(tx, prefix, reader=agents.reader(tx, agent_id))
