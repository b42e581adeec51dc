"""What was read from a memory follows it: hidden with it, back with it, read anew when its text changes (MEM-52 ff.).

A derived memory (a fact of extraction, or of a session) stands on its sources. It goes with the last of them, unless
a person has pinned it, changed it, said it or taken it back. A memory without a source stands for itself and never
follows. More than `AT_ONCE` follow in a job that is committed with the change.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet.db import ReadTx, WriteTx, fts
from signet.domain.memory import history, wording
from signet.domain.memory.models import PIPELINE, Actor, Along, Event, Keeper, Memory, Staying
from signet.domain.memory.sql import memories, sources
from signet.domain.memory.sql.sources import Dependent, WithdrawReason
from signet.domain.memory.sql.sources import SourceKind as Source
from signet.domain.transcripts import withheld
from signet.queue import Job, enqueue
from signet.wire.origin import Origin


class Kind(StrEnum):
    """What happens to memories."""

    #: Hidden; they may be recovered for a while.
    FORGOTTEN = "forgotten"
    #: Hidden because somebody said that they are wrong.
    REJECTED = "rejected"
    #: Hidden because the text that they were read from has changed; what it says now is read anew.
    RETIRED = "retired"
    RECOVERED = "recovered"
    #: Deleted at once, because somebody asked for it: nothing of what they said stays.
    ERASED = "erased"
    #: Deleted after they were forgotten for as long as such memories are kept.
    PURGED = "purged"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEvent:
    """A change of memories, published before their rows are deleted, so that these can still be read."""

    kind: Kind
    memory_ids: Sequence[str]
    at: datetime
    #: Whether somebody asked for it because of what they say; not so for repetitions, and passages of a document.
    is_asked: bool = False


Follower = Callable[[WriteTx, MemoryEvent], None]

_followers: list[Follower] = []


def register(followers: Sequence[Follower]) -> None:
    """Set the followers that handle changes of memories, in this order."""
    _followers[:] = followers


def publish(
    tx: WriteTx, kind: Kind, memory_ids: Sequence[str], *, at: datetime, is_asked: bool = False
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


#: The source type of a fact that was distilled from a session; its source id is the session's key.
SESSION_END = "session_end"
#: Derived memories that are hidden, or brought back, in the transaction of the change itself.
AT_ONCE = 200
#: The kind of job that does the rest.
KIND = "follow_memory"
ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Who hides something or brings it back, why and when; `kind` is what the owners of other rows are told."""

    kind: Kind
    actor: Actor
    reason: str
    at: datetime
    #: Whether somebody does not want what it says (`followers.MemoryEvent`).
    is_asked: bool = False


def along(tx: ReadTx, memory_ids: Sequence[str], *, is_asked: bool = False) -> Along:
    """Return the derived memories that are hidden with these memories, and those that stay.

    With `is_asked` facts of sessions that state the same are hidden too, and documents that state it are named.
    """
    gone = dict.fromkeys(memory_ids)
    said, held_by = _said_elsewhere(tx, memory_ids) if is_asked else ((), ())
    goes: dict[str, str] = {}
    while True:
        found = sources.dependents(tx, gone, said=said)
        new = {one.id: one.content for one in found if _keeper(one) is None}
        if not new:
            stays = (_staying(one) for one in found)
            return Along(goes=tuple(goes.items()), stays=tuple(stays), held_by=tuple(held_by))
        goes |= new
        gone |= dict.fromkeys(new)


def along_session(tx: ReadTx, agent_id: str, key: str) -> Along:
    """Return the memories that are hidden with a session: those read from it alone."""
    found = sources.of_session(tx, agent_id, key)
    first = {one.id: one.content for one in found if _keeper(one) is None}
    after = along(tx, list(first))
    stays = {one.id: _staying(one) for one in found if _keeper(one)}
    stays |= {one.id: one for one in after.stays}
    return Along(goes=tuple((first | dict(after.goes)).items()), stays=tuple(stays.values()))


def withdraw(tx: WriteTx, root_id: str, found: Along, change: Change) -> None:
    """Hide what was derived from a hidden memory: the first `AT_ONCE` now, the rest in a job.

    Facts of a changed text are hidden at once: they are few, and new ones may follow soon.
    """
    is_retired = change.kind is Kind.RETIRED
    now = found.goes if is_retired else found.goes[:AT_ONCE]
    if not now:
        return
    hidden = [memory_id for memory_id, _ in now]
    sources.withdraw(tx, hidden, root_id, _why(change), at=change.at)
    for memory_id, content in now:
        memories.hide(tx, memory_id, at=change.at)
        _record(tx, memory_id, _gone(change), change, old=content, metadata={"goneWith": root_id})
    publish(tx, change.kind, hidden, at=change.at, is_asked=change.is_asked)
    if len(found.goes) > len(now):
        _later(tx, root_id, change)


def bring_back(tx: WriteTx, root_id: str, change: Change) -> list[Memory]:
    """Reactivate memories that were hidden with this one, or that it also states, unless their text was saved again."""
    back: dict[str, Memory] = {}
    roots = [root_id]
    while new := [one for one in sources.withdrawn(tx, roots) if one not in back]:
        for memory in filter(None, (memories.by_id(tx, memory_id) for memory_id in new)):
            if len(back) == AT_ONCE:
                _later(tx, root_id, change)
                return list(back.values())
            back[memory.id] = memory
            _revive(tx, memory, root_id, change)
        roots += new
    return list(back.values())


def follow(tx: WriteTx, root_id: str, change: Change) -> int:
    """Do the next part of a change that was left to a job; return the number of memories that followed."""
    root = memories.by_id(tx, root_id)
    if root is None:
        return 0
    if not root.is_deleted:
        return len(bring_back(tx, root_id, change))
    found = along(tx, [root_id], is_asked=change.is_asked)
    withdraw(tx, root_id, found, change)
    return min(len(found.goes), AT_ONCE)


def retire(tx: WriteTx, memory: Memory, *, actor: Actor, at: datetime) -> int:
    """Hide facts read from a memory's old text alone, and return their number; others lose this source."""
    found = along(tx, [memory.id])
    reason = "the text that it was read from has changed"
    change = Change(kind=Kind.RETIRED, actor=actor, reason=reason, at=at)
    withdraw(tx, memory.id, found, change)
    sources.lose(tx, memory.id, [one.id for one in found.stays])
    return len(found.goes)


def revive_retired(tx: WriteTx, source: Memory, content: str, change: Change) -> str | None:
    """Reactivate the fact of this text that was hidden when its source changed; return its ID."""
    found = sources.retired(tx, source.id, wording.content_hash(content))
    memory = memories.by_id(tx, found) if found else None
    if memory is None or not _revive(tx, memory, source.id, change):
        return None
    return memory.id


def own(tx: WriteTx, memory_id: str, actor: Actor) -> None:
    """Note that a person (not an agent) vouches for a derived memory, which then outlives its sources."""
    if actor.may_claim is Origin.USER:
        sources.add(tx, memory_id, Source.PERSON, actor.name)


def saved_too(tx: WriteTx, memory_id: str, actor: Actor) -> None:
    """Note that a derived memory was also saved, so that it no longer depends on its sources."""
    if actor.type != PIPELINE:
        sources.add(tx, memory_id, Source.PERSON, actor.name)


def found_in(tx: WriteTx, memory_id: str, source_id: str, *, actor: Actor, at: datetime) -> None:
    """Add a source to a derived memory; if that source had superseded it, it is current again."""
    sources.add(tx, memory_id, Source.MEMORY, source_id)
    link = sources.link_of(tx, memory_id)
    if link is not None and link.superseded_by == source_id:
        sources.set_link(tx, memory_id, None, None, at=at, actor=actor.name)


def found_in_session(tx: WriteTx, memory_id: str, key: str) -> None:
    sources.add(tx, memory_id, Source.SESSION, key)


def _said_elsewhere(
    tx: ReadTx, memory_ids: Sequence[str]
) -> tuple[Collection[str], Collection[str]]:
    """Return facts of sessions that state the same as these memories or a part of it, and such documents."""
    found: dict[str, None] = {}
    documents: dict[str, None] = {}
    for memory in filter(None, (memories.by_id(tx, memory_id) for memory_id in memory_ids)):
        documents |= dict.fromkeys(sources.holders(tx, memory.id))
        terms = fts.content_words(memory.content)
        if not terms:
            continue
        asked = (memory_ids, memory.agent_id, fts.any_of(terms))
        for one in sources.like(tx, *asked):
            if withheld.says(one.content, memory.content) or withheld.says(
                memory.content, one.content
            ):
                found[one.id] = None
        said = withheld.statement(memory.content)
        for piece in sources.in_documents(tx, *asked):
            if withheld.without(piece.content, [said]) != piece.content:
                documents[piece.document] = None
    return found, documents


def _keeper(one: Dependent) -> Keeper | None:
    if one.is_pinned:
        return Keeper.PINNED
    if one.is_owned:
        return Keeper.PERSON
    return Keeper.OTHER_SOURCE if one.has_other else None


def _staying(one: Dependent) -> Staying:
    return Staying(id=one.id, content=one.content, why=_keeper(one) or Keeper.OTHER_SOURCE)


def _why(change: Change) -> WithdrawReason:
    return WithdrawReason.CHANGED if change.kind is Kind.RETIRED else WithdrawReason.FORGOTTEN


def _gone(change: Change) -> Event:
    return Event.REJECTED if change.kind is Kind.REJECTED else Event.DELETED


def _revive(tx: WriteTx, memory: Memory, root_id: str, change: Change) -> bool:
    """Reactivate a memory; False if its text was saved again: then it stays hidden on its own."""
    sources.release(tx, [memory.id])
    if memories.twin(tx, memory, wording.content_hash(memory.content)):
        return False
    memories.unhide(tx, memory.id, by=change.actor.name, at=change.at)
    publish(tx, Kind.RECOVERED, [memory.id], at=change.at)
    metadata = {"cameBackWith": root_id}
    _record(tx, memory.id, Event.RECOVERED, change, new=memory.content, metadata=metadata)
    return True


def _record(
    tx: WriteTx,
    memory_id: str,
    event: Event,
    change: Change,
    *,
    old: str | None = None,
    new: str | None = None,
    metadata: Mapping[str, object],
) -> None:
    history.record(
        tx,
        memory_id,
        event,
        actor=change.actor,
        at=change.at,
        old=old,
        new=new,
        reason=change.reason,
        metadata=metadata,
    )


def _later(tx: WriteTx, root_id: str, change: Change) -> None:
    job = Job(
        kind=KIND,
        memory_id=root_id,
        dedupe_key=f"{KIND}:{root_id}",
        payload={
            "kind": change.kind,
            "actor": change.actor.name,
            "reason": change.reason,
            "isAsked": change.is_asked,
        },
    )
    enqueue(tx, job, now=change.at, max_attempts=ATTEMPTS)
