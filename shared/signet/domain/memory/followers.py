"""What other nouns do when a memory goes, or comes back.

Rows of other nouns make sense only with their memory: links, vectors, jobs, notes of sessions. Each owner deletes or
revives its own, in the transaction that changes the memory. Which owners there are stands in one list,
`signet/domain/memory_followers.py`, which the processes that change memories (API and worker) register when they
start.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet.db import WriteTx


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
    """What happens to which memories; published before their own rows are deleted, so that these can be read."""

    kind: Kind
    memory_ids: Sequence[str]
    at: datetime
    #: Whether somebody asked for it because of what they say; not so for repetitions, and passages of a document.
    is_asked: bool = False


Follower = Callable[[WriteTx, MemoryEvent], None]

_followers: list[Follower] = []


def register(followers: Sequence[Follower]) -> None:
    """Let these follow what happens to memories, in this order, instead of those before."""
    _followers[:] = followers


def publish(
    tx: WriteTx, kind: Kind, memory_ids: Sequence[str], *, at: datetime, is_asked: bool = False
) -> None:
    """Let every owner of other rows do its part.

    Raises RuntimeError in a program that has not registered them: rows would stay behind unseen.
    """
    if not _followers:
        raise RuntimeError(
            "no followers of memories; call signet.domain.memory_followers.register()"
        )
    event = MemoryEvent(kind=kind, memory_ids=memory_ids, at=at, is_asked=is_asked)
    for follow in _followers:
        follow(tx, event)
