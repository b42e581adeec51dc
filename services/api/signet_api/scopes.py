"""Enforce the caller's scope for requests that name rows (AUTH-18, AUTH-22)."""

import asyncio
from collections.abc import Awaitable, Collection, Iterable
from typing import TypedDict, cast

from signet.db import Database, ReadTx
from signet.domain.auth import caller
from signet.domain.auth.caller import Caller, ScopeDenied
from signet.domain.sessions import calls
from signet.errors import SignetError, Unavailable
from signet.observe import record
from signet.observe.taxonomy import Code
from signet.queue import admin
from signet.queue.admin import JobFilter
from signet.wire.memory import Modified


async def check_session(db: Database, agent_id: str, key: str | None) -> None:
    """Raise ScopeDenied if a session belongs to a project outside of the caller's scope."""
    if caller.current().scope.project is not None and key:
        await db.aread(calls.check_scope, agent_id, key)


class JobLimits(TypedDict):
    """Fields of a JobFilter that limit a caller."""

    agent_id: str | None
    project: str | None
    hidden: str | None


def jobs_of(asked: Caller) -> JobLimits:
    scope = asked.scope
    return {"agent_id": scope.agent, "project": scope.project, "hidden": asked.hidden or None}


def visible_jobs(tx: ReadTx, asked: Caller, job_ids: Collection[str]) -> Collection[str]:
    limits = jobs_of(asked)
    if not job_ids or not any(limits.values()):
        return job_ids
    rows = admin.find(tx, JobFilter(job_ids=list(job_ids), **limits), limit=len(job_ids))
    return {row["id"] for row in rows}


def denied(memory_id: str | None, error: ScopeDenied) -> Modified:
    record.error(Code.MUTATION_SCOPE_DENIED, error.message, memory_id=memory_id)
    return _refused(memory_id, error)


#: Parallel changes of one request: each waits at most `writer.WAIT_SECONDS`, too short for the last of 200 under load.
AT_ONCE = 25


async def each(parts: Iterable[tuple[str | None, Awaitable[Modified]]]) -> list[Modified]:
    """Return the result of each (id, work), in order.

    A storage refusal becomes a result with its code as `status`; if all are refused, or for other errors, the error
    is raised after the last one has ended.
    """
    named, turns = list(parts), asyncio.Semaphore(AT_ONCE)

    async def in_turn(work: Awaitable[Modified]) -> Modified:
        async with turns:
            return await work

    ended = await asyncio.gather(*(in_turn(work) for _, work in named), return_exceptions=True)
    errors = [end for end in ended if isinstance(end, BaseException)]
    for error in errors:
        if not isinstance(error, Unavailable) or len(errors) == len(ended):
            raise error
    return [
        _refused(memory_id, end) if isinstance(end, Unavailable) else cast(Modified, end)
        for (memory_id, _), end in zip(named, ended, strict=True)
    ]


def _refused(memory_id: str | None, error: SignetError) -> Modified:
    return {"success": False, "id": memory_id, "status": error.code, "error": error.message}
