"""Forgetting a session: all that is stored of it goes for good, what was distilled from it alone is hidden.

Its texts cannot be recovered, the memories can, each by itself (MEM-29). A session that still runs is bypassed from
then on, and what is handed over of it later is not stored (`forgotten_sessions`). Files go before the rows that name
them: killed between the two, it is asked for again and does the rest.
"""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from signet.db import ReadTx, WriteTx
from signet.db.driver import connect, sqlite
from signet.domain.auth import caller
from signet.domain.auth.caller import OWNER, Caller
from signet.domain.episodes import index
from signet.domain.injections import record
from signet.domain.memory import derived
from signet.domain.memory import forget as memories
from signet.domain.memory.models import Actor, Along, Rules
from signet.domain.sessions import calls, checkpoints
from signet.domain.sessions.running import UnknownSession
from signet.domain.sessions.sql import every, states
from signet.domain.sessions.sql.every import KnownRow
from signet.domain.summaries import files as summaries
from signet.domain.summaries.files import Made
from signet.domain.transcripts import stored, withheld
from signet.errors import Conflict, Frozen

ACTOR = Actor(name="restore")
REASON = "forgotten after the backup was made"


@dataclass(frozen=True, slots=True, kw_only=True)
class Going:
    """What goes with a session."""

    agent_id: str
    key: str
    project: str | None
    began: str
    chars: int
    passages: int
    checkpoints: int
    given: int
    made: Made
    along: Along


def look(tx: ReadTx, key: str, *, agent_id: str | None = None) -> Going:
    """Return what would go with a session that the caller owns; writes nothing.

    Raises UnknownSession, Conflict and ScopeDenied.
    """
    asking = caller.current()
    asking.check_row(agent=agent_id)
    found = _owners(tx, key, agent_id or asking.scope.agent, asking)
    if not found:
        raise UnknownSession
    if len(found) > 1:
        raise Conflict(
            "Several agents have a session of this key: name one",
            "several_agents",
            agents=[one.agent_id for one in found],
        )
    [one] = found
    owner = (one.agent_id, key)
    return Going(
        agent_id=one.agent_id,
        key=key,
        project=one.project,
        began=one.began,
        chars=stored.length(tx, *owner),
        passages=index.count(tx, *owner),
        checkpoints=checkpoints.count(tx, *owner),
        given=record.count(tx, *owner),
        made=summaries.made(tx, *owner),
        along=derived.along_session(tx, *owner),
    )


def _owners(tx: ReadTx, key: str, agent_id: str | None, asking: Caller) -> list[KnownRow]:
    """Return the agents that have a session of this key within the reach of a caller, of one agent where named."""
    asked = {
        "key": key,
        "agent": agent_id,
        "hidden": asking.hidden,
        "project": asking.scope.project,
    }
    return tx.rows(KnownRow, every.OF_KEY, asked)


def remove_notes(root: Path, made: Made) -> tuple[list[str], list[str]]:
    """Delete the notes of a session as files; return which, and which stay because a person has written into them.

    Raises OSError.
    """
    ours, others = summaries.sorted_notes(root, made)
    for name in ours:
        (root / name).unlink(missing_ok=True)
    return ours, others


def forget(
    tx: WriteTx, agent_id: str, key: str, *, actor: Actor, rules: Rules, reason: str, now: datetime
) -> Along:
    """Delete what is stored of a session and hide what was distilled from it alone; return that. Raises Frozen.

    A job then takes its bytes out of the file, and MEMORY.md is written again without it.
    """
    if rules.frozen:
        raise Frozen
    along = memories.forget_session(tx, agent_id, key, actor=actor, reason=reason, now=now)
    _delete(tx, agent_id, key, now)
    return along


def over(present: Path, staged: Path, *, now: datetime) -> int:
    """Forget in one database the sessions that were forgotten in another since; return how many.

    A database that cannot be read changes nothing.
    """
    try:
        with contextlib.closing(connect(present, read_only=True)) as connection:
            gone = stored.forgotten(ReadTx(connection))
    except sqlite.Error:
        return 0
    with contextlib.closing(connect(staged)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        tx = WriteTx(connection)
        count = _again(tx, sorted(gone - stored.forgotten(tx)), now)
        connection.execute("COMMIT")
    return count


def _again(tx: WriteTx, gone: Iterable[tuple[str, str]], now: datetime) -> int:
    count = 0
    for agent_id, key in gone:
        count += bool(_owners(tx, key, agent_id, OWNER))
        memories.forget_session(tx, agent_id, key, actor=ACTOR, reason=REASON, now=now)
        _delete(tx, agent_id, key, now)
    return count


def _delete(tx: WriteTx, agent_id: str, key: str, now: datetime) -> None:
    owner = (agent_id, key)
    stored.forget(tx, *owner, now=now)
    index.forget_session(tx, *owner)
    summaries.forget_session(tx, *owner)
    checkpoints.forget(tx, *owner)
    record.forget(tx, *owner)
    state = states.get(tx, *owner)
    if state is not None and state.is_live(now):
        rested = replace(state, is_bypassed=True, injected=(), continuity=None)
        states.put(tx, calls.renewed(rested, state.runtime_path, now=now), now=now)
    else:
        tx.run(states.DELETE, owner)
    withheld.queue(tx, agent_id, is_back=True, now=now)
    memories.rewrite_later(tx, now=now)
