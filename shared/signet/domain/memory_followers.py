"""Followers of memory events: how other nouns' rows change when a memory is hidden, restored or deleted.

`register` is called when the API or the worker starts. A noun whose rows depend on a memory adds a
function here (see memory/derived.py); it runs in the transaction that changes the memory, and may run twice.
"""

from collections.abc import Callable, Sequence
from functools import partial

from signet.db import WriteTx
from signet.domain.audit import log as audit
from signet.domain.documents import records
from signet.domain.embeddings import vectors as embeddings
from signet.domain.graph import link
from signet.domain.injections import ratings
from signet.domain.learning import worth
from signet.domain.memory import derived, forgotten, lookup
from signet.domain.memory.derived import ChangeKind, MemoryEvent
from signet.domain.projection import project
from signet.domain.spaces import share
from signet.domain.transcripts import withheld
from signet.queue import admin
from signet.wire.audit import AuditAction

_GONE = frozenset({ChangeKind.ERASED, ChangeKind.PURGED})
#: Deletes the rows of other nouns with their memories.
_DELETE: tuple[Callable[[WriteTx, Sequence[str]], object], ...] = (
    records.unlink_memories,
    ratings.delete_of_memories,
    worth.delete_of_memories,
    share.delete_of_memories,
    admin.delete_of_memories,
)
_AUDITED = {
    ChangeKind.FORGOTTEN: AuditAction.FORGET,
    ChangeKind.REJECTED: AuditAction.FORGET,
    ChangeKind.RECOVERED: AuditAction.RECOVER,
    ChangeKind.ERASED: AuditAction.ERASE,
    ChangeKind.PURGED: AuditAction.ERASE,
}


def register() -> None:
    derived.register(FOLLOWERS)


def _graph(tx: WriteTx, event: MemoryEvent) -> None:
    for memory_id in event.memory_ids:
        if event.kind is ChangeKind.ERASED:
            link.erase(tx, memory_id, now=event.at)
        elif event.kind is ChangeKind.RECOVERED:
            revive = partial(link.revive, tx, memory_id, now=event.at)
            tx.optional("link", revive, otherwise=None)
    if event.kind is ChangeKind.PURGED:
        link.unlink(tx, event.memory_ids, now=event.at)


def _rows(tx: WriteTx, event: MemoryEvent) -> None:
    if event.kind in _GONE:
        for memory_id in event.memory_ids:
            embeddings.remove(tx, memory_id)
        for delete in _DELETE:
            delete(tx, event.memory_ids)


def _projection(tx: WriteTx, event: MemoryEvent) -> None:
    if event.kind is not ChangeKind.RETIRED:
        project.delete_maps(tx)


def _texts(tx: WriteTx, event: MemoryEvent) -> None:
    """Withhold forgotten statements from all texts that contain them, including MEMORY.md."""
    if event.kind is ChangeKind.RECOVERED:
        withheld.lift(tx, event.memory_ids)
        for agent_id in {one.agent_id for one in lookup.owners(tx, event.memory_ids)}:
            withheld.queue(tx, agent_id, is_back=True, now=event.at)
    elif event.is_asked:
        for memory_id in event.memory_ids:
            if memory := lookup.find(tx, memory_id):
                agent_id = memory.agent_id
                withheld.withhold(tx, memory_id, agent_id, memory.content, at=event.at)
                withheld.queue(tx, agent_id, is_back=False, now=event.at)


def _audit(tx: WriteTx, event: MemoryEvent) -> None:
    action = _AUDITED.get(event.kind)
    if action is not None:
        ids = tuple(event.memory_ids)
        audit.record(tx, [audit.by_caller(action, now=event.at, memory_ids=ids)])


FOLLOWERS = (forgotten.follow, _graph, _rows, _projection, _texts, _audit)
