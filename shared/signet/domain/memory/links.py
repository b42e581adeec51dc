"""What a memory is linked to, and which agents may read it."""

from signet.db import ReadTx
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.agents import registry as agents
from signet.domain.agents.registry import Agent
from signet.domain.graph import browse as graph
from signet.domain.memory import lookup
from signet.domain.memory.models import Memory, Visibility
from signet.domain.memory.sql import memories, sources
from signet.ids import DEFAULT_AGENT
from signet.wire import memory as wire
from signet.wire import memory_links as links

#: Links of one kind that are listed, and characters of each.
MOST, CHARS = 50, 200


def of(tx: ReadTx, memory_id: str, *, reader: Reader) -> links.Links:
    """Return what a memory is linked to, of which the reader may see everything; raises NotFound."""
    memory = lookup.get(tx, memory_id, reader=reader)
    behind = _shown(tx, [memory.superseded_by] if memory.superseded_by else [], reader)
    return {
        "memoryId": memory.id,
        "sources": _shown(tx, sources.above(tx, memory.id, limit=MOST), reader),
        "distilled": _shown(tx, sources.below(tx, memory.id, limit=MOST), reader),
        "corrects": _shown(tx, memories.behind(tx, memory.id, limit=MOST), reader),
        "correctedBy": next(iter(behind), None),
        "entities": graph.named_in(tx, memory.id, reader=reader, limit=MOST),
    }


def access(tx: ReadTx, memory_id: str, *, reader: Reader) -> links.Access:
    """Return which registered agents may read a memory, and by which rule; raises NotFound."""
    memory = lookup.get(tx, memory_id, reader=reader)
    known = {one.id: one for one in agents.every(tx)}
    names = dict.fromkeys((DEFAULT_AGENT, *known, memory.agent_id))
    return {
        "memoryId": memory.id,
        "owner": memory.agent_id,
        "visibility": memory.visibility,
        "project": memory.project,
        "scope": memory.scope,
        "agents": [_access(memory, name, known) for name in names],
    }


def _access(memory: Memory, agent_id: str, known: dict[str, Agent]) -> links.AgentAccess:
    found = known.get(agent_id)
    reads, rule = _rule(memory, agents.policy_reader(agent_id, found), known)
    name = (found.name if found else None) or agent_id
    return {"id": agent_id, "name": name, "reads": reads, "rule": rule}


def _rule(memory: Memory, reader: Reader, known: dict[str, Agent]) -> tuple[bool, str]:
    """Return whether an agent reads a memory, as `db/visibility.py` says it in SQL, and the rule."""
    if memory.visibility == Visibility.ARCHIVED:
        return False, "archived"
    if memory.agent_id == reader.agent_id:
        return True, "own"
    if memory.visibility != Visibility.GLOBAL:
        return False, "private"
    if reader.policy is ReadPolicy.SHARED:
        return True, "shared"
    if reader.policy is ReadPolicy.GROUP and reader.group is not None:
        owner = known.get(memory.agent_id)
        is_same = owner is not None and owner.policy_group == reader.group
        return is_same, "group" if is_same else "other_group"
    return False, "isolated"


def _shown(tx: ReadTx, memory_ids: list[str], reader: Reader) -> list[wire.Followed]:
    found = memories.by_ids(tx, memory_ids, texts={})
    seen = (one for one in found if memories.readable(tx, one.id, reader) and not one.is_deleted)
    return [{"id": one.id, "content": one.content[:CHARS]} for one in seen]
