"""What lies outside a caller's scope, for requests that name rows (AUTH-18, AUTH-22)."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence

from signet.db import Database
from signet.domain.auth import caller
from signet.domain.auth.caller import Caller, ScopeDenied
from signet.domain.auth.tokens import NO_SCOPE
from signet.domain.memory import lookup
from signet.domain.memory.models import Owner
from signet.domain.sessions import calls
from signet.errors import Unavailable
from signet.observe import record
from signet.observe.taxonomy import Code
from signet.wire.memory import Modified


async def outside(db: Database, memory_ids: Sequence[str]) -> Mapping[str, ScopeDenied]:
    """Return why the caller may not touch some of these memories, by id.

    Project and owner of a memory never change, so the answer holds for the write that follows.
    """
    asked = caller.current()
    if asked.scope == NO_SCOPE or not memory_ids:
        return {}
    found = await db.aread(lookup.owners, memory_ids)
    refused = {row.id: _refusal(asked, row) for row in found}
    return {memory_id: error for memory_id, error in refused.items() if error is not None}


async def check(db: Database, memory_ids: Sequence[str]) -> None:
    """Raise ScopeDenied when the caller may not touch one of these memories."""
    for error in (await outside(db, memory_ids)).values():
        raise error


async def check_session(db: Database, agent_id: str, key: str | None) -> None:
    """Raise ScopeDenied when a session belongs to another project than those that the caller may touch."""
    asked = caller.current()
    if asked.scope.project is not None and key:
        await db.aread(calls.check_scope, asked, agent_id, key)


def denied(memory_id: str | None, error: ScopeDenied) -> Modified:
    """Note one refusal among other results, and return what clients read of it."""
    record.error(Code.MUTATION_SCOPE_DENIED, error.message, memory_id=memory_id)
    return {"success": False, "id": memory_id, "status": error.code, "error": error.message}


def _refusal(asked: Caller, row: Owner) -> ScopeDenied | None:
    try:
        asked.check_row(project=row.project, agent=row.agent_id)
    except ScopeDenied as error:
        return error
    return None


async def each(parts: Iterable[tuple[str | None, Awaitable[Modified]]]) -> list[Modified]:
    """Return the result of every part (id, work), in order.

    A part that the storage refused is a result with the refusal's code as `status`; a refusal of all of them, and any
    other error, is raised after the last part has ended.
    """
    named = list(parts)
    ended = await asyncio.gather(*(work for _, work in named), return_exceptions=True)
    errors = [end for end in ended if isinstance(end, BaseException)]
    for error in errors:
        if not isinstance(error, Unavailable) or len(errors) == len(ended):
            raise error
    return [
        _refused(memory_id, end) if isinstance(end, BaseException) else end
        for (memory_id, _), end in zip(named, ended, strict=True)
    ]


def _refused(memory_id: str | None, error: BaseException) -> Modified:
    assert isinstance(error, Unavailable)
    return {"success": False, "id": memory_id, "status": error.code, "error": error.message}
