"""Memories derived from others: hidden and restored with their sources, extracted again when these change (MEM-52 ff.).

A derived memory (a fact extracted from a memory or session) is hidden with its last source, unless a person has pinned,
changed, saved or recovered it. Up to `AT_ONCE` follow in the transaction of the change, the others in a job.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, WriteTx, fts
from signet.db.dialect import as_list
from signet.domain.memory import history, wording
from signet.domain.memory.models import PIPELINE, Actor, Along, Event, Keeper, Memory, Staying
from signet.domain.memory.sql import memories, sources
from signet.domain.memory.sql.sources import Dependent, SourceKind, WithdrawReason
from signet.domain.transcripts import withheld
from signet.queue import NewJob, enqueue
from signet.wire.origin import Origin


class ChangeKind(StrEnum):
    """The kinds of changes that hide, restore or delete memories."""

    #: Hidden; recoverable for a while.
    FORGOTTEN = "forgotten"
    #: Hidden because a person called them wrong.
    REJECTED = "rejected"
    #: Hidden because their source text has changed.
    RETIRED = "retired"
    RECOVERED = "recovered"
    #: Deleted at once, with all copies of their text.
    ERASED = "erased"
    #: Deleted at the end of the retention time after being forgotten.
    PURGED = "purged"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEvent:
    """A change of memories, published before their rows are deleted, so that these can still be read."""

    kind: ChangeKind
    memory_ids: Sequence[str]
    at: datetime
    #: Whether a person objects to their content; not for duplicates and passages of a document.
    is_asked: bool = False


Follower = Callable[[WriteTx, MemoryEvent], None]

_followers: list[Follower] = []


def register(followers: Sequence[Follower]) -> None:
    """Set the followers that handle changes of memories, in this order."""
    _followers[:] = followers


def publish(
    tx: WriteTx,
    kind: ChangeKind,
    memory_ids: Sequence[str],
    *,
    at: datetime,
    is_asked: bool = False,
) -> None:
    """Call the followers, which change the rows of other nouns.

    Raises RuntimeError in a program without followers: rows would be left behind.
    """
    if not _followers:
        raise RuntimeError(
            "no followers of memories; call signet.domain.memory_followers.register()"
        )
    event = MemoryEvent(kind=kind, memory_ids=memory_ids, at=at, is_asked=is_asked)
    for follow in _followers:
        follow(tx, event)


#: The source type of a fact distilled from a session; its source ID is the session's key.
SESSION_END = "session_end"
#: Derived memories that are hidden or restored in the transaction of the change itself.
AT_ONCE = 200
#: The kind of job that handles the rest.
KIND = "follow_memory"
ATTEMPTS = 5

Facts = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The author, reason and time of hiding or restoring memories; for `is_asked` see `MemoryEvent`."""

    kind: ChangeKind
    actor: Actor
    reason: str
    at: datetime
    is_asked: bool = False

    def publish(self, tx: WriteTx, memory_ids: Sequence[str]) -> None:
        publish(tx, self.kind, memory_ids, at=self.at, is_asked=self.is_asked)

    def record(self, tx: WriteTx, memory_id: str, text: str | None, metadata: Facts) -> None:
        event = _EVENTS.get(self.kind, Event.DELETED)
        old, new = (None, text) if event is Event.RECOVERED else (text, None)
        why = (self.actor, self.at, self.reason, metadata)
        history.record(tx, memory_id, event, *why, old=old, new=new)


_EVENTS = {ChangeKind.REJECTED: Event.REJECTED, ChangeKind.RECOVERED: Event.RECOVERED}


def along(tx: ReadTx, memory_ids: Sequence[str], *, is_asked: bool = False) -> Along:
    """Return the derived memories that are hidden with these memories, and those that stay.

    With `is_asked` facts of sessions that state the same are hidden too, and documents that state it are named.
    """
    gone = dict.fromkeys(memory_ids)
    said, held_by = _said_elsewhere(tx, memory_ids) if is_asked else ((), ())
    goes: dict[str, str] = {}
    while True:
        found = tx.rows(Dependent, sources.DEPENDENTS, (as_list(gone), as_list(said)))
        new = {one.id: one.content for one in found if _keeper(one) is None}
        if not new:
            stays = (_staying(one) for one in found)
            return Along(goes=tuple(goes.items()), stays=tuple(stays), held_by=tuple(held_by))
        goes |= new
        gone |= dict.fromkeys(new)


def along_session(tx: ReadTx, agent_id: str, key: str) -> Along:
    """Return the memories that are hidden with a session: those derived only from it."""
    found = tx.rows(Dependent, sources.OF_SESSION, (agent_id, key))
    first = {one.id: one.content for one in found if _keeper(one) is None}
    after = along(tx, list(first))
    stays = {one.id: _staying(one) for one in found if _keeper(one)}
    stays |= {one.id: one for one in after.stays}
    return Along(goes=tuple((first | dict(after.goes)).items()), stays=tuple(stays.values()))


def hide(tx: WriteTx, memory_id: str, found: Along, change: Change, metadata: Facts) -> bool:
    """Hide an active memory and those derived from it; False if it is not active."""
    content = memories.hide(tx, memory_id, at=change.at)
    if content is None:
        return False
    change.publish(tx, [memory_id])
    change.record(tx, memory_id, content, metadata)
    withdraw(tx, memory_id, found, change)
    return True


def withdraw(tx: WriteTx, root_id: str, found: Along, change: Change) -> None:
    """Hide memories derived from a hidden one: the first `AT_ONCE` now, the rest in a job.

    Facts of a changed text are hidden at once: they are few, and new ones may follow soon.
    """
    is_retired = change.kind is ChangeKind.RETIRED
    now = found.goes if is_retired else found.goes[:AT_ONCE]
    if not now:
        return
    why = WithdrawReason.CHANGED if is_retired else WithdrawReason.FORGOTTEN
    at = clock.to_text(change.at)
    tx.many(sources.WITHDRAW, [(memory_id, root_id, why, at) for memory_id, _ in now])
    for memory_id, content in now:
        memories.hide(tx, memory_id, at=change.at)
        change.record(tx, memory_id, content, {"goneWith": root_id})
    change.publish(tx, [memory_id for memory_id, _ in now])
    if len(found.goes) > len(now):
        _later(tx, root_id, change)


def reactivate(tx: WriteTx, memory: Memory, change: Change, metadata: Facts) -> None:
    """Make a hidden memory active again; the caller has checked that its text was not saved again."""
    tx.run(memories.UNHIDE, (clock.to_text(change.at), change.actor.name, memory.id))
    publish(tx, ChangeKind.RECOVERED, [memory.id], at=change.at)
    recovered = Change(
        kind=ChangeKind.RECOVERED, actor=change.actor, reason=change.reason, at=change.at
    )
    recovered.record(tx, memory.id, memory.content, metadata)


def bring_back(tx: WriteTx, root_id: str, change: Change) -> list[Memory]:
    """Reactivate memories that were hidden with this one, or that it also states, unless their text was saved again."""
    back: dict[str, Memory] = {}
    roots = [root_id]
    while new := [
        one for one in tx.column(sources.WITHDRAWN, (as_list(roots),)) if one not in back
    ]:
        for memory in filter(None, (memories.by_id(tx, memory_id) for memory_id in new)):
            if len(back) == AT_ONCE:
                _later(tx, root_id, change)
                return list(back.values())
            back[memory.id] = memory
            _revive(tx, memory, root_id, change)
        roots += new
    return list(back.values())


def follow(tx: WriteTx, root_id: str, change: Change) -> int:
    """Process the next part of a change that was left to a job; return the number of memories changed."""
    root = memories.by_id(tx, root_id)
    if root is None:
        return 0
    if not root.is_deleted:
        return len(bring_back(tx, root_id, change))
    found = along(tx, [root_id], is_asked=change.is_asked)
    withdraw(tx, root_id, found, change)
    return min(len(found.goes), AT_ONCE)


def retire(tx: WriteTx, memory: Memory, *, actor: Actor, at: datetime) -> int:
    """Hide facts derived only from a memory's old text, and return their number; others lose this source."""
    found = along(tx, [memory.id])
    reason = "the text that it was read from has changed"
    withdraw(
        tx, memory.id, found, Change(kind=ChangeKind.RETIRED, actor=actor, reason=reason, at=at)
    )
    tx.run(sources.LOSE, (memory.id, as_list([one.id for one in found.stays])))
    return len(found.goes)


def revive_retired(tx: WriteTx, source: Memory, content: str, change: Change) -> str | None:
    """Reactivate the fact of this text that was hidden when its source changed; return its ID."""
    found = tx.value(sources.RETIRED, (source.id, wording.content_hash(content)))
    memory = memories.by_id(tx, found) if found else None
    if memory is None or not _revive(tx, memory, source.id, change):
        return None
    return memory.id


def own(tx: WriteTx, memory_id: str, actor: Actor) -> None:
    """Record that a person (not an agent) vouches for a derived memory, which then outlives its sources."""
    if actor.may_claim is Origin.USER:
        tx.run(sources.ADD, (memory_id, SourceKind.PERSON, actor.name))


def saved_too(tx: WriteTx, memory_id: str, actor: Actor) -> None:
    """Record that a derived memory was also saved, so that it no longer depends on its sources."""
    if actor.type != PIPELINE:
        tx.run(sources.ADD, (memory_id, SourceKind.PERSON, actor.name))


def found_in(tx: WriteTx, memory_id: str, source_id: str, *, actor: Actor, at: datetime) -> None:
    """Add a source to a derived memory; if that source had superseded it, it is current again."""
    tx.run(sources.ADD, (memory_id, SourceKind.MEMORY, source_id))
    link = tx.row(sources.Link, sources.ONE, (memory_id,))
    if link is not None and link.superseded_by == source_id:
        tx.run(sources.LINK, (None, None, clock.to_text(at), actor.name, memory_id))


def found_in_session(tx: WriteTx, memory_id: str, key: str) -> None:
    tx.run(sources.ADD, (memory_id, SourceKind.SESSION, key))


def _said_elsewhere(
    tx: ReadTx, memory_ids: Sequence[str]
) -> tuple[Collection[str], Collection[str]]:
    """Return facts of sessions that state the same as these memories or a part of it, and such documents."""
    found: dict[str, None] = {}
    documents = dict.fromkeys(tx.column(sources.HOLDERS, (as_list(memory_ids),)))
    for memory in memories.by_ids(tx, memory_ids, texts={}):
        terms = fts.content_words(memory.content)
        if not terms:
            continue
        asked = (fts.any_of(terms), memory.agent_id, as_list(memory_ids))
        for fact_id, text in tx.tuples(sources.LIKE, asked):
            if withheld.says(text, memory.content) or withheld.says(memory.content, text):
                found[fact_id] = None
        said = withheld.statement(memory.content)
        for text, document in tx.tuples(sources.IN_DOCUMENTS, asked):
            if withheld.without(text, [said]) != text:
                documents[document] = None
    return found, documents


def _keeper(one: Dependent) -> Keeper | None:
    if one.is_pinned:
        return Keeper.PINNED
    if one.is_owned:
        return Keeper.PERSON
    return Keeper.OTHER_SOURCE if one.has_other else None


def _staying(one: Dependent) -> Staying:
    return Staying(id=one.id, content=one.content, why=_keeper(one) or Keeper.OTHER_SOURCE)


def _revive(tx: WriteTx, memory: Memory, root_id: str, change: Change) -> bool:
    """Reactivate a derived memory; False if its text was saved again: then it stays hidden on its own."""
    tx.run(sources.RELEASE, (memory.id,))
    if memories.twin(tx, memory, wording.content_hash(memory.content)):
        return False
    reactivate(tx, memory, change, {"cameBackWith": root_id})
    return True


def _later(tx: WriteTx, root_id: str, change: Change) -> None:
    payload = {
        "kind": change.kind,
        "actor": change.actor.name,
        "reason": change.reason,
        "isAsked": change.is_asked,
    }
    job = NewJob(kind=KIND, memory_id=root_id, dedupe_key=f"{KIND}:{root_id}", payload=payload)
    enqueue(tx, job, now=change.at, max_attempts=ATTEMPTS)
