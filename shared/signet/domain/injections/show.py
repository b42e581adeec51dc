"""Show a session's record. Viewing changes nothing and does not count as use."""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.injections import sql, trace
from signet.domain.injections.models import ItemKind, Phase, Reason, Used, tokens
from signet.domain.injections.record import ItemTexts
from signet.domain.injections.sql import InjectedSession, InjectionRow
from signet.domain.injections.sql import ItemRow as ItemRow
from signet.domain.transcripts import stored, transcript, withheld
from signet.domain.transcripts.transcript import Turn
from signet.domain.transcripts.withheld import Statement
from signet.errors import NotFound
from signet.text import words
from signet.wire.injections import (
    ContextInjection,
    ContextItem,
    ContextTotals,
    MemoryUse,
    SessionContext,
)
from signet.wire.sessions import StoredTranscript

#: The key that means the newest session.
LATEST = "latest"
#: Maximum similar keys to suggest, and minimum length of a key prefix.
MOST_NEAR, LEAST_PREFIX = 3, 4
#: Characters of a prompt to show.
MESSAGE_CHARS = 200


def looked(
    tx: ReadTx,
    key: str,
    *,
    agent_id: str | None,
    within: str | None,
    project: str | None,
    now: datetime,
) -> tuple[SessionContext, list[Turn]]:
    """Return a session's injections and messages, by its key, a key prefix, or the latest of a project.

    `agent_id` and `within` limit it to an agent and a project. Raises NotFound, which lists the nearest keys.
    """
    row = _found(tx, key, agent_id=agent_id, within=within, project=project)
    owner, key = row.agent_id, row.session_key
    every = tx.rows(sql.InjectionRow, sql.OF_SESSION, (owner, key))
    rows = [one for one in every if within is None or one.project == within]
    content = stored.text(tx, owner, key) if len(rows) == len(every) else None
    turns = transcript.parse(content) if content else []
    places = trace.begins(rows, turns)
    forgotten = withheld.statements(tx, owner)
    known = ItemTexts(tx, agents.reader(tx, owner, any_scope=True))
    items: dict[int, list[ItemRow]] = {}
    for item in sql.items(tx, owner, key):
        items.setdefault(item.injection_seq, []).append(item)
    shown = [
        _injection(
            known,
            one,
            items.get(one.seq, ()),
            _Place.locate(one, turns, places[one.seq], forgotten),
        )
        for one in rows
    ]
    found: SessionContext = {
        "sessionKey": key,
        "agentId": owner,
        "harness": next((one.harness for one in rows if one.harness), ""),
        "project": next((one.project for one in rows if one.project), None),
        "startedAt": rows[0].created_at,
        "isOver": not tx.value(sql.RUNS, (owner, key, clock.to_text(now))),
        "totals": _totals(shown),
        "injections": shown,
    }
    return found, turns


def unrecorded(row: StoredTranscript) -> SessionContext:
    """Return an ended session into which nothing was injected."""
    return {
        "sessionKey": row["sessionKey"],
        "agentId": row["agentId"],
        "harness": row["harness"] or "",
        "project": row["project"],
        "startedAt": row["createdAt"],
        "isOver": True,
        "totals": _totals(()),
        "injections": [],
    }


def uses(
    tx: ReadTx, memory_id: str, *, agent_id: str | None, within: str | None, limit: int
) -> list[MemoryUse]:
    """Return the sessions that considered a memory, latest first, optionally of one agent and project."""
    hidden = caller.current().hidden
    asked = {
        "memory": memory_id,
        "agent": agent_id,
        "hidden": hidden,
        "within": within,
        "limit": limit,
    }
    return tx.records(MemoryUse, sql.USES, asked)


def _use(used: str | None) -> Literal["used", "not used", "not known yet"]:
    if used is None:
        return "not known yet"
    return "not used" if used == "no" else "used"


def _found(
    tx: ReadTx, key: str, *, agent_id: str | None, within: str | None, project: str | None
) -> InjectedSession:
    asked = {
        "agent": agent_id,
        "hidden": caller.current().hidden,
        "within": within,
        "limit": sql.KNOWN_KEYS,
    }
    known = tx.rows(sql.InjectedSession, sql.SESSIONS, {**asked, "project": None})
    if key == LATEST:
        mine = tx.rows(sql.InjectedSession, sql.SESSIONS, {**asked, "project": project})
        if mine:
            return mine[0]
        place = f" of {project}" if project else ""
        raise NotFound(f"No session{place} has a record yet{_newest(known) or HOW}")
    same = [one for one in known if one.session_key == key]
    if not same and len(key) >= LEAST_PREFIX:
        same = [one for one in known if one.session_key.startswith(key)]
    if len({one.session_key for one in same}) == 1:
        return same[0]
    if same:
        several = ", ".join(one.session_key for one in same[:MOST_NEAR])
        raise NotFound(f"Several sessions start with {key!r}: {several}")
    names = [one.session_key for one in known]
    near = difflib.get_close_matches(key, names, n=MOST_NEAR, cutoff=0.5)
    hint = f"; similar: {', '.join(near)}" if near else _newest(known)
    raise NotFound(f"There is no record of a session {key!r}{hint}")


#: What makes the first record.
HOW = ". The first session of a connected program makes one; signet harness list shows which are connected"


def _newest(known: Sequence[InjectedSession]) -> str:
    names = [f"{one.session_key} ({one.project or 'no project'})" for one in known]
    return f"; the newest: {', '.join(names[:MOST_NEAR])}" if names else ""


class _Place(NamedTuple):
    """The position of an injection in the transcript, and the start of its prompt if known."""

    turn: int | None
    message: str | None

    @classmethod
    def locate(
        cls, row: InjectionRow, turns: Sequence[Turn], turn: int, forgotten: Sequence[Statement]
    ) -> "_Place":
        is_prompt = row.phase == Phase.PROMPT and trace.is_said(row, turns, turn)
        said = withheld.without(turns[turn].text, forgotten) if is_prompt else None
        return cls(turn if turns else None, said and said[:MESSAGE_CHARS])


def _injection(
    known: ItemTexts, row: InjectionRow, items: Iterable[ItemRow], place: _Place
) -> ContextInjection:
    given: list[ContextItem] = []
    left_out: list[ContextItem] = []
    for item in items:
        (given if item.is_given else left_out).append(_item(known, item))
    return {
        "phase": row.phase,
        "prompt": row.prompt,
        "at": row.created_at,
        "turn": place.turn,
        "message": place.message,
        "chars": row.chars,
        "tokens": tokens(row.chars),
        "bestScore": row.best_score,
        "floor": row.floor,
        "given": given,
        "leftOut": left_out,
    }


def _item(known: ItemTexts, row: ItemRow) -> ContextItem:
    found = known.text_of(row)
    is_section = row.kind == ItemKind.SECTION
    used = None if row.used == "no" else row.used
    return {
        "kind": row.kind,
        "id": row.source_id,
        "reason": row.reason,
        "says": words.told(row.source_id if is_section else row.reason),
        "project": found.project,
        "score": row.score,
        "saidAt": row.said_at,
        "chars": row.chars,
        "tokens": tokens(row.chars),
        "use": None if is_section else _use(row.used),
        "usedBy": used,
        "usedIn": json.loads(row.used_in) if row.used_in else None,
        "state": "none" if is_section and found.content is None else found.state,
        # Text that was omitted, or is no longer in its source, is uncertain.
        "text": found.content
        if row.spans or row.kind in (ItemKind.MEMORY, ItemKind.SECTION)
        else None,
        "sourceType": found.origin[0],
        "sourceId": found.origin[1],
    }


def _totals(shown: Sequence[ContextInjection]) -> ContextTotals:
    given = [item for one in shown for item in one["given"] if item["kind"] != ItemKind.SECTION]
    left_out = [
        item for one in shown for item in one["leftOut"] if item["kind"] != ItemKind.SECTION
    ]
    return {
        "prompts": sum(one["phase"] == Phase.PROMPT for one in shown),
        "given": len(given),
        "used": sum(item["use"] == "used" for item in given),
        "notUsed": sum(item["use"] == "not used" for item in given),
        "unknown": sum(item["use"] == "not known yet" for item in given),
        "leftOut": len(left_out),
        "chars": sum(one["chars"] for one in shown),
        "tokens": sum(one["tokens"] for one in shown),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A session's injections, their items without sections, and its messages.

    `starts` has for each injection the number of the first message after it.
    """

    injections: Sequence[InjectionRow] = ()
    items: Sequence[ItemRow] = ()
    turns: Sequence[Turn] = ()
    starts: Mapping[int, int]
    is_over: bool = False

    @property
    def project(self) -> str | None:
        return next((one.project for one in self.injections if one.project), None)

    @property
    def memories(self) -> list[str]:
        return list(
            dict.fromkeys(one.source_id for one in self.items if one.kind == ItemKind.MEMORY)
        )


def given_to_session(tx: ReadTx, agent_id: str, key: str, *, now: datetime) -> Given:
    injections = tx.rows(sql.InjectionRow, sql.OF_SESSION, (agent_id, key))
    content = stored.text(tx, agent_id, key)
    turns = transcript.parse(content) if content else []
    return Given(
        injections=injections,
        items=[row for row in sql.items(tx, agent_id, key) if row.kind != ItemKind.SECTION],
        turns=turns,
        starts=trace.begins(injections, turns),
        is_over=not tx.value(sql.RUNS, (agent_id, key, clock.to_text(now))),
    )


def was_received(item: ItemRow) -> bool:
    """Return whether the session received an item: injected, or omitted as already received."""
    return bool(item.is_given) or item.reason == Reason.SAID


def was_used(item: ItemRow) -> bool:
    return item.used not in (None, Used.NO)
