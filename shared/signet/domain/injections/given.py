"""Read a session's injections together with its transcript."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx
from signet.domain.injections import trace
from signet.domain.injections.models import Kind, Reason, Used
from signet.domain.injections.sql import injections as sql
from signet.domain.injections.sql.injections import InjectionRow
from signet.domain.injections.sql.injections import ItemRow as ItemRow
from signet.domain.transcripts import stored, transcript
from signet.domain.transcripts.transcript import Turn


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
        """Return the session's project, None without one."""
        return next((one.project for one in self.injections if one.project), None)

    @property
    def memories(self) -> list[str]:
        """Return the injected and candidate memories, each once."""
        return list(dict.fromkeys(one.source_id for one in self.items if one.kind == Kind.MEMORY))


def given_to_session(tx: ReadTx, agent_id: str, key: str, *, now: datetime) -> Given:
    """Return a session's injections."""
    injections = tx.rows(sql.InjectionRow, sql.OF_SESSION, (agent_id, key))
    content = stored.text(tx, agent_id, key)
    turns = transcript.parse(content) if content else []
    return Given(
        injections=injections,
        items=[row for row in sql.items(tx, agent_id, key) if row.kind != Kind.SECTION],
        turns=turns,
        starts=trace.begins(injections, turns),
        is_over=not tx.value(sql.RUNS, (agent_id, key, clock.to_text(now))),
    )


def was_received(item: ItemRow) -> bool:
    """Return whether the session received an item: injected, or omitted as already received."""
    return bool(item.is_given) or item.reason == Reason.SAID


def was_used(item: ItemRow) -> bool:
    """Return whether the session used an item."""
    return item.used not in (None, Used.NO)
