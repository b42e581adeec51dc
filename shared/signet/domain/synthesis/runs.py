"""The runs of synthesis: whether one is under way, and what the last one of each agent knew."""

import json
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.db.visibility import Reader
from signet.domain.synthesis import sql
from signet.domain.synthesis.plan import Standing

#: When an agent's file was written last, or tried to be, and the newest memory that was known then; as JSON.
_LAST = f"{sql.KIND}:"


def standing(tx: ReadTx, reader: Reader) -> Standing:
    """Return how things stand with an agent's file."""
    at, seq, has_failed = _last(tx, reader.agent_id)
    return Standing(
        last_run_at=clock.parsed(at),
        first_at=clock.parsed(tx.value(sql.FIRST, (reader.agent_id,))),
        has_news=sql.newest(tx, reader, after=seq) > seq,
        is_running=tx.value(sql.RUNNING, (f"{sql.KIND}:{reader.agent_id}",)) is not None,
        has_failed=has_failed,
    )


def is_running(tx: ReadTx) -> bool:
    """Return whether some agent's file is written just now."""
    return tx.value(sql.ANY_RUNNING) is not None


def last_run_at(tx: ReadTx, agent_id: str) -> str | None:
    """Return when an agent's file was written last, or tried to be."""
    return _last(tx, agent_id)[0]


def note_run(
    tx: WriteTx, agent_id: str, *, now: datetime, newest: int | None, has_failed: bool = False
) -> None:
    """Note a run with the newest memory it knew, None for a run without an answer."""
    seq = _last(tx, agent_id)[1] if newest is None else newest
    state = json.dumps({"at": clock.to_text(now), "seq": seq, "failed": has_failed})
    runtime_settings.put(tx, f"{_LAST}{agent_id}", state)


def _last(tx: ReadTx, agent_id: str) -> tuple[str | None, int, bool]:
    value = runtime_settings.get(tx, f"{_LAST}{agent_id}")
    found = json.loads(value) if value else {}
    return found.get("at"), int(found.get("seq", 0)), bool(found.get("failed"))
