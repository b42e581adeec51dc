"""Read memories, by ID or the newest. Every answer is limited to what the reader may see."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from signet.db import ReadTx, Row
from signet.db.dialect import as_list
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.agents import registry as agents
from signet.domain.agents.registry import Agent
from signet.domain.auth import caller
from signet.domain.auth.caller import ScopeDenied
from signet.domain.graph import browse as graph
from signet.domain.memory.models import Memory, Owner, Visibility
from signet.domain.memory.origin import DOCUMENT_CHUNK
from signet.domain.memory.sql import memories, sources
from signet.domain.transcripts import withheld
from signet.errors import Kind, NotFound, SignetError
from signet.ids import DEFAULT_AGENT, space_of
from signet.wire import memory as wire
from signet.wire import memory_links as links
from signet.wire.injections import SessionMemory
from signet.wire.memory import MemoryStats


def readable_texts(tx: ReadTx, found: Sequence[tuple[str, str]], *, reader: Reader) -> list[str]:
    """Return texts, given with their memory's type, without forgotten statements of documents."""
    if not any(type == DOCUMENT_CHUNK for type, _ in found):
        return [text for _, text in found]
    known = withheld.statements(tx, reader.agent_id)
    return [
        withheld.without(text, known) if type == DOCUMENT_CHUNK else text for type, text in found
    ]


def readable_memories(tx: ReadTx, found: Sequence[Memory], *, reader: Reader) -> list[Memory]:
    said = readable_texts(tx, [(one.type, one.content) for one in found], reader=reader)
    return [
        one if one.content == text else replace(one, content=text)
        for one, text in zip(found, said, strict=True)
    ]


def readable_rows(tx: ReadTx, found: Sequence[Row], *, reader: Reader) -> list[dict[str, Any]]:
    said = readable_texts(tx, [(row["type"], row["content"]) for row in found], reader=reader)
    return [{**dict(row), "content": text} for row, text in zip(found, said, strict=True)]


#: Why a change of a memory is refused, by code.
REFUSALS = {
    "deleted": "The memory is forgotten; recover it first",
    "already_deleted": "The memory is forgotten already",
    "not_deleted": "The memory is not forgotten",
    "not_waiting": "The memory does not wait for a review",
    "version_conflict": "The memory has changed since you read it",
    "duplicate_content_hash": "Another memory has the same text",
    "pinned_requires_force": "The memory is pinned; pass force to forget it",
    "retention_expired": "The memory was forgotten too long ago",
}


class Refused(SignetError, kind=Kind.CONFLICT):
    """The change was refused, and nothing was written."""

    def __init__(
        self, memory_id: str, version: int | None = None, code: str | None = None, **facts: object
    ) -> None:
        """Without a code of `REFUSALS`, that of the class."""
        known = {} if version is None else {"currentVersion": version}
        status = code or self.code
        message = REFUSALS.get(status)
        super().__init__(
            message, status, success=False, id=memory_id, status=status, **known, **facts
        )


class Unknown(Refused, kind=Kind.NOT_FOUND, code="not_found"):
    """There is no such memory."""


class ForceDenied(Refused, kind=Kind.FORBIDDEN, code="autonomous_force_denied"):
    """The pipeline may not forget memories that a person pinned."""


class ValueForgotten(Refused, code="forgotten_value"):
    """The user forgot or rejected what this text says; `signet forgotten lift` allows it to be saved again."""


def check_version(memory: Memory, expected: int | None) -> None:
    if expected is not None and expected != memory.version:
        raise Refused(memory.id, memory.version, "version_conflict")


#: IDs listed for an ambiguous prefix.
MAX_IDS = 10


def get(tx: ReadTx, memory_id: str, *, reader: Reader) -> Memory:
    """Return an active memory in any scope; raises NotFound if this reader may not see one (MEM-20)."""
    memory = memories.readable(tx, memory_id, reader)
    if memory is None or memory.is_deleted:
        raise NotFound("not found")
    return readable_memories(tx, [memory], reader=reader)[0]


def known(tx: ReadTx, memory_id: str, *, agent_id: str) -> Memory:
    """Return a memory that this agent may change, forgotten or not.

    Raises ScopeDenied if the caller's token excludes its owner, and Unknown if this agent may not read it.
    """
    memory = memories.readable(tx, memory_id, agents.reader(tx, agent_id))
    check_owner(memory or memories.by_id(tx, memory_id))
    if memory is None:
        raise Unknown(memory_id)
    return memory


def check_owner(memory: Memory | None) -> None:
    """Raise ScopeDenied for a memory that the caller may not change (AUTH-18, AUTH-27)."""
    if memory is not None:
        caller.current().check_row(
            project=memory.project, agent=memory.agent_id, visibility=memory.visibility
        )


def refused(tx: ReadTx, memory_ids: Sequence[str]) -> Mapping[str, ScopeDenied]:
    """Return why the caller may not change some of these memories, by ID."""
    found: dict[str, ScopeDenied] = {}
    for one in tx.rows(Owner, memories.OWNERS, (as_list(memory_ids),)):
        try:
            caller.current().check_row(
                project=one.project, agent=one.agent_id, visibility=one.visibility
            )
        except ScopeDenied as error:
            found[one.id] = error
    return found


def readable(tx: ReadTx, memory_id: str, *, reader: Reader) -> Memory | None:
    """Return a memory in any scope, forgotten or not, if this reader may see it."""
    return memories.readable(tx, memory_id, reader)


def of_session(tx: ReadTx, key: str, *, reader: Reader) -> list[SessionMemory]:
    """Return the active memories saved in a session or distilled from it, oldest first."""
    return memories.of_session(tx, key, reader)


def ids(tx: ReadTx, prefix: str, *, reader: Reader) -> list[str]:
    """Return at most `MAX_IDS` IDs with this prefix, in any scope, also of forgotten memories."""
    return memories.ids_with(tx, prefix, reader, limit=MAX_IDS)


def is_any(tx: ReadTx) -> bool:
    """Return whether anybody has a memory."""
    return bool(tx.value(memories.IS_ANY))


def owners(tx: ReadTx, memory_ids: Sequence[str]) -> list[Owner]:
    """Return the owners of existing memories, also of forgotten ones."""
    return tx.rows(Owner, memories.OWNERS, (as_list(memory_ids),))


def several(tx: ReadTx, memory_ids: Sequence[str]) -> list[Memory]:
    """Return existing memories in this order; the caller has checked that they may be read."""
    return memories.by_ids(tx, memory_ids, texts={})


def find(tx: ReadTx, memory_id: str) -> Memory | None:
    """Return any memory, including forgotten ones: for jobs, which act for the owner."""
    return memories.by_id(tx, memory_id)


def stats(tx: ReadTx, *, reader: Reader) -> MemoryStats:
    return memories.stats(tx, reader)


#: Listed links of one kind, and characters of each.
MOST, CHARS = 50, 200


def links_of_memory(tx: ReadTx, memory_id: str, *, reader: Reader) -> links.Links:
    """Return the linked memories and entities that the reader may see; raises NotFound."""
    memory = get(tx, memory_id, reader=reader)
    behind = _shown(tx, [memory.superseded_by] if memory.superseded_by else [], reader)
    return {
        "memoryId": memory.id,
        "sources": _shown(tx, tx.column(sources.ABOVE, (memory.id, MOST)), reader),
        "distilled": _shown(tx, tx.column(sources.BELOW, (memory.id, MOST)), reader),
        "corrects": _shown(tx, tx.column(memories.BEHIND, (memory.id, MOST)), reader),
        "correctedBy": next(iter(behind), None),
        "entities": graph.named_in(tx, memory.id, reader=reader, limit=MOST),
    }


def access(tx: ReadTx, memory_id: str, *, reader: Reader) -> links.Access:
    """Return which registered agents may read a memory, and by which rule; raises NotFound."""
    memory = get(tx, memory_id, reader=reader)
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


_RULES = {
    "own": "it is its own",
    "shared": "it is shared, and this agent reads what is shared",
    "group": "it is shared, and its owner is of the same group",
    "private": "it is private to its owner",
    "isolated": "this agent reads only its own",
    "other_group": "its owner is of no group of this agent",
    "archived": "it is archived, and no one reads it",
    "space": "it is read through keys of its space",
}


def _access(memory: Memory, agent_id: str, known: dict[str, Agent]) -> links.AgentAccess:
    found = known.get(agent_id)
    reads, rule = _rule(memory, agents.policy_reader(agent_id, found), known)
    name = (found.name if found else None) or agent_id
    return {"id": agent_id, "name": name, "reads": reads, "rule": rule, "says": _RULES[rule]}


def _rule(memory: Memory, reader: Reader, known: dict[str, Agent]) -> tuple[bool, str]:
    """Return whether an agent may read a memory, and the rule of `db/visibility.py` that decides it."""
    if memory.visibility == Visibility.ARCHIVED:
        return False, "archived"
    if space_of(memory.visibility):  # decided by keys, not by agents
        return memory.agent_id == reader.agent_id, "space"
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
