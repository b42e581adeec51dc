"""Reading memories: one by its id, or the newest. Every answer is limited to what the reader may see."""

from collections.abc import Mapping, Sequence

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.auth.caller import ScopeDenied
from signet.domain.memory import told
from signet.domain.memory.models import Memory, Owner
from signet.domain.memory.refusals import Unknown
from signet.domain.memory.sql import memories
from signet.errors import NotFound
from signet.wire.injections import SessionMemory
from signet.wire.memory import MemoryStats

#: Ids of one beginning that are shown: enough to see that it is no beginning of one.
MAX_IDS = 10


def get(tx: ReadTx, memory_id: str, *, reader: Reader) -> Memory:
    """Return an active memory, whatever its scope; NotFound when there is none for this reader (MEM-20)."""
    memory = memories.readable(tx, memory_id, reader)
    if memory is None or memory.is_deleted:
        raise NotFound("not found")
    return told.memories(tx, [memory], reader=reader)[0]


def known(tx: ReadTx, memory_id: str, *, agent_id: str) -> Memory:
    """Return a memory that this agent may change, forgotten or not.

    Raises ScopeDenied where the caller's token is limited to other owners, and Unknown where this agent reads none.
    """
    memory = memories.readable(tx, memory_id, agents.reader(tx, agent_id))
    check_owner(memory or memories.by_id(tx, memory_id))
    if memory is None:
        raise Unknown(memory_id)
    return memory


def check_owner(memory: Memory | None) -> None:
    """Raise ScopeDenied for a memory that the caller may not change (AUTH-18, AUTH-27)."""
    if memory is not None:
        caller.current().check_row(project=memory.project, agent=memory.agent_id)


def refused(tx: ReadTx, memory_ids: Sequence[str]) -> Mapping[str, ScopeDenied]:
    """Return why the caller may not change some of these memories, by ID."""
    found: dict[str, ScopeDenied] = {}
    for one in memories.owners(tx, memory_ids):
        try:
            caller.current().check_row(project=one.project, agent=one.agent_id)
        except ScopeDenied as error:
            found[one.id] = error
    return found


def readable(tx: ReadTx, memory_id: str, *, reader: Reader) -> Memory | None:
    """Return a memory if this reader may see it, forgotten or not, in whatever scope."""
    return memories.readable(tx, memory_id, reader)


def of_session(tx: ReadTx, key: str, *, reader: Reader) -> list[SessionMemory]:
    """Return the active memories that were saved in a session or distilled from it, oldest first."""
    return memories.of_session(tx, key, reader)


def ids(tx: ReadTx, prefix: str, *, reader: Reader) -> list[str]:
    """Return the ids that begin so, at most `MAX_IDS`, in whatever scope and forgotten ones too."""
    return memories.ids_with(tx, prefix, reader, limit=MAX_IDS)


def owners(tx: ReadTx, memory_ids: Sequence[str]) -> list[Owner]:
    """Return whose those of the memories are that exist, forgotten ones too, and of which project."""
    return memories.owners(tx, memory_ids)


def several(tx: ReadTx, memory_ids: Sequence[str]) -> list[Memory]:
    """Return those of the memories that exist, in this order: for ids of which is known that they may be read."""
    return memories.by_ids(tx, memory_ids, texts={})


def find(tx: ReadTx, memory_id: str) -> Memory | None:
    """Return any memory, forgotten ones too: for jobs, which act for the owner."""
    return memories.by_id(tx, memory_id)


def stats(tx: ReadTx, *, reader: Reader) -> MemoryStats:
    """Count the active memories this reader may see."""
    return memories.stats(tx, reader)
