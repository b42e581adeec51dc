"""Asking for a new MEMORY.md: by a person or a program, or because it is time."""

from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.synthesis import plan as plans
from signet.domain.synthesis import runs, sql
from signet.domain.synthesis.plan import Plan
from signet.ids import DEFAULT_AGENT
from signet.queue import Job, enqueue

#: A model that answers nonsense twice is asked again an hour later.
ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggered:
    """What became of the question: the job that writes, or why nothing is written."""

    job_id: str | None = None
    reason: str | None = None


def trigger(tx: WriteTx, agent_id: str, *, now: datetime) -> Triggered:
    """Queue the writing of an agent's file, schedule or not (HK-102)."""
    standing = runs.standing(tx, agents.reader(tx, agent_id))
    reason = plans.refusal(standing, now=now, by_hand=True)
    if reason:
        return Triggered(reason=reason)
    return Triggered(job_id=queue(tx, agent_id, now=now))


def queue(tx: WriteTx, agent_id: str, *, now: datetime) -> str | None:
    """Queue the writing of an agent's file; None when it is queued already."""
    job = Job(kind=sql.KIND, dedupe_key=agent_id, agent_id=agent_id)
    return enqueue(tx, job, now=now, max_attempts=ATTEMPTS)


def again(tx: WriteTx, agent_id: str, *, now: datetime) -> None:
    """Queue the writing of an agent's file if it was written before: something is to stand in it again."""
    if runs.standing(tx, agents.reader(tx, agent_id)).last_run_at is not None:
        queue(tx, agent_id, now=now)


def due(tx: ReadTx, settings: Settings, *, now: datetime) -> list[str]:
    """Return the agents whose files are to be written now without being asked for."""
    plan = Plan.of(settings)
    if not plan.enabled:
        return []
    active_at = clock.parsed(tx.value(sql.ACTIVE, {"now": clock.to_text(now)}))
    roster = [one.name for one in settings.agents.roster]
    everybody = dict.fromkeys((DEFAULT_AGENT, *roster, *tx.column(sql.AGENTS)))
    return [
        agent_id
        for agent_id in everybody
        if plans.is_due(
            plan, runs.standing(tx, agents.reader(tx, agent_id)), active_at=active_at, now=now
        )
    ]


def newest(tx: ReadTx, agent_id: str) -> int:
    """Return the number of the newest memory that an agent can read."""
    return sql.newest(tx, agents.reader(tx, agent_id))
