"""What a person says of a memory in a word: keep it, let it fade, it is wrong; and taking that back."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from signet.db import WriteTx
from signet.domain.memory import forget, history, lookup, recover
from signet.domain.memory.models import (
    Actor,
    Changed,
    Event,
    Forget,
    Memory,
    Outcome,
    Recover,
    Rules,
)
from signet.domain.memory.refusals import Deleted
from signet.domain.memory.review import NotAPerson
from signet.domain.memory.sql import memories
from signet.errors import Frozen
from signet.wire.origin import Origin

#: What is left of the importance of a memory that may fade.
FADED = 0.5


class Verdict(StrEnum):
    """`keep`: no pipeline changes it any more; `fade`: it counts half; `wrong`: forgotten as not true."""

    KEEP = "keep"
    FADE = "fade"
    WRONG = "wrong"
    #: Nothing is said of it, or no longer.
    NONE = "none"


class Judged(NamedTuple):
    """A memory as it was before the newest verdict on it, and that verdict."""

    verdict: Verdict = Verdict.NONE
    importance: float = 0.0
    is_kept: bool = False


def judge(
    tx: WriteTx,
    memory_id: str,
    verdict: Verdict,
    *,
    agent_id: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> Changed:
    """Do what a verdict says, in place of the one before; `none` takes that back. In history as `reviewed`.

    Raises NotAPerson, Frozen, Unknown, Deleted for one that was not forgotten by a verdict, and what `recover` raises.
    """
    if actor.may_claim is not Origin.USER:
        raise NotAPerson
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, memory_id, agent_id=agent_id)
    before = last(tx, memory.id)
    if before.verdict is Verdict.WRONG and not memory.is_deleted:
        before = Judged()  # somebody has brought it back
    if before.verdict is verdict:
        return _changed(memory, memory.version)
    if memory.is_deleted and before.verdict is not Verdict.WRONG:
        raise Deleted(memory.id, memory.version)
    _take_back(tx, memory, before, agent_id=agent_id, actor=actor, rules=rules, now=now)
    as_it_was = lookup.known(tx, memory_id, agent_id=agent_id)
    said = Judged(verdict, as_it_was.importance, as_it_was.manual_override)
    history.record(
        tx, memory.id, Event.REVIEWED, actor=actor, at=now, reason=verdict, metadata=said._asdict()
    )
    _do(tx, as_it_was, verdict, agent_id=agent_id, actor=actor, rules=rules, now=now)
    done = lookup.known(tx, memory_id, agent_id=agent_id)
    return _changed(memory, done.version)


def last(tx: WriteTx, memory_id: str) -> Judged:
    """Return the verdict that holds, and what the memory was before it."""
    said = history.metadata_of_last(tx, memory_id, Event.REVIEWED)
    return Judged(**{**said, "verdict": Verdict(str(said["verdict"]))}) if said else Judged()


def _take_back(
    tx: WriteTx,
    memory: Memory,
    before: Judged,
    *,
    agent_id: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> None:
    if before.verdict is Verdict.WRONG and memory.is_deleted:
        asked = Recover(memory_id=memory.id, reason=Verdict.NONE, agent_id=agent_id)
        recover.recover(tx, asked, actor=actor, rules=rules, now=now)
    elif before.verdict is Verdict.FADE:
        fields = {"importance": before.importance}
        memories.patch(tx, memory.id, fields, by=actor.name, at=now)
    elif before.verdict is Verdict.KEEP:
        memories.set_kept(tx, memory.id, before.is_kept)


def _do(
    tx: WriteTx,
    memory: Memory,
    verdict: Verdict,
    *,
    agent_id: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> None:
    if verdict is Verdict.KEEP:
        memories.set_kept(tx, memory.id, True)
    elif verdict is Verdict.FADE:
        fields = {"importance": memory.importance * FADED}
        memories.patch(tx, memory.id, fields, by=actor.name, at=now)
    elif verdict is Verdict.WRONG:
        asked = Forget(
            memory_id=memory.id, reason=verdict, agent_id=agent_id, force=True, is_wrong=True
        )
        forget.forget_one(tx, asked, actor=actor, rules=rules, now=now)


def _changed(memory: Memory, version: int) -> Changed:
    is_new = version != memory.version
    return Changed(
        id=memory.id,
        status=Outcome.UPDATED if is_new else Outcome.NO_CHANGES,
        current_version=memory.version,
        new_version=version if is_new else None,
    )
