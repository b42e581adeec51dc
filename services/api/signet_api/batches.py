"""Requests of many parts, each a commit of its own."""

import asyncio
from collections.abc import Awaitable, Iterable

from signet.errors import Unavailable
from signet.wire.memory import Modified


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
