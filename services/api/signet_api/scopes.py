"""What lies outside a caller's scope, for requests that name rows (AUTH-18, AUTH-22)."""

import asyncio
from collections.abc import Awaitable, Iterable

from signet.db import Database
from signet.domain.auth import caller
from signet.domain.auth.caller import ScopeDenied
from signet.domain.sessions import calls
from signet.errors import Unavailable
from signet.observe import record
from signet.observe.taxonomy import Code
from signet.wire.memory import Modified


async def check_session(db: Database, agent_id: str, key: str | None) -> None:
    """Raise ScopeDenied when a session belongs to another project than those that the caller may touch."""
    asked = caller.current()
    if asked.scope.project is not None and key:
        await db.aread(calls.check_scope, asked, agent_id, key)


def denied(memory_id: str | None, error: ScopeDenied) -> Modified:
    """Note one refusal among other results, and return what clients read of it."""
    record.error(Code.MUTATION_SCOPE_DENIED, error.message, memory_id=memory_id)
    return {"success": False, "id": memory_id, "status": error.code, "error": error.message}


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
