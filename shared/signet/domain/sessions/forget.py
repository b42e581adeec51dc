"""Forgetting a session: delete everything stored of it, and hide memories distilled only from it.

The texts are gone for good; each hidden memory can be recovered (MEM-29). A running session is bypassed from then on,
and later deliveries of it are not stored (`forgotten_sessions`). Files are deleted before the rows that name them, so
that a repeated request after a crash finishes the work.
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
    """Everything that is deleted or hidden with a session."""

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


def preview(tx: ReadTx, key: str, *, agent_id: str | None = None) -> Going:
    """Return what forgetting a session of the caller would remove; writes nothing.

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
    """Return the agents with a session of this key in the caller's scope; only `agent_id`, if given."""
    asked = {
        "key": key,
        "agent": agent_id,
        "hidden": asking.hidden,
        "project": asking.scope.project,
    }
    return tx.rows(KnownRow, every.OF_KEY, asked)


def remove_notes(root: Path, made: Made) -> tuple[list[str], list[str]]:
    """Delete the note files of a session; return the deleted ones, and those kept because a person edited them.

    Raises OSError.
    """
    ours, others = summaries.sorted_notes(root, made)
    for name in ours:
        (root / name).unlink(missing_ok=True)
    return ours, others


def forget(
    tx: WriteTx, agent_id: str, key: str, *, actor: Actor, rules: Rules, reason: str, now: datetime
) -> Along:
    """Delete a session, hide the memories distilled only from it, and return these. Raises Frozen.

    A job then removes the deleted bytes from the database file, and MEMORY.md is written without the session.
    """
    if rules.frozen:
        raise Frozen
    along = memories.forget_session(tx, agent_id, key, actor=actor, reason=reason, now=now)
    _delete(tx, agent_id, key, now)
    return along


def over(present: Path, staged: Path, *, now: datetime) -> int:
    """Forget in one database the sessions that another has forgotten since; return their number.

    Changes nothing if a database cannot be read.
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
