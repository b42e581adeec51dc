"""What a session was given, with the talk that it was given in, for whoever judges how it served."""

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
    """The injections of a session, their items without sections, and what was said.

    `starts` tells of each injection the number of the message from which on it was there.
    """

    injections: Sequence[InjectionRow] = ()
    items: Sequence[ItemRow] = ()
    turns: Sequence[Turn] = ()
    starts: Mapping[int, int]
    is_over: bool = False

    @property
    def project(self) -> str | None:
        """Return the project of the session, None where it has none."""
        return next((one.project for one in self.injections if one.project), None)

    @property
    def memories(self) -> list[str]:
        """Return the memories that were given or could have been, each once."""
        return list(dict.fromkeys(one.source_id for one in self.items if one.kind == Kind.MEMORY))


def of_session(tx: ReadTx, agent_id: str, key: str, *, now: datetime) -> Given:
    """Return what a session was given."""
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


def was_told(item: ItemRow) -> bool:
    """Return whether the session had what an item says: it was given, or left out because it was told before."""
    return bool(item.is_given) or item.reason == Reason.SAID


def was_used(item: ItemRow) -> bool:
    """Return whether the session used what an item says."""
    return item.used not in (None, Used.NO)
