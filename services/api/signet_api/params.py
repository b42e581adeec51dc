"""Query parameters: integers are lenient, as clients expect; the rest is validated like a body."""

from typing import Annotated, TypeVar

from fastapi import Depends, Query, Request
from pydantic import BaseModel

from signet.domain.memory import filters
from signet_api.deps import agent_of

Model = TypeVar("Model", bound=BaseModel)


def _instant(text: str | None, name: str) -> str | None:
    return filters.instant(name, (text or "").strip() or None)


async def _since(since: str | None = None) -> str | None:
    return _instant(since, "since")


async def _until(until: str | None = None) -> str | None:
    return _instant(until, "until")


async def _agent(
    request: Request,
    agent_id: Annotated[str | None, Query(description="whose memories; default: yours")] = None,
) -> str:
    return await agent_of(agent_id, None, request)


#: The agent named by `agent_id` or the headers; raises ScopeDenied.
Agent = Annotated[str, Depends(_agent)]
#: `since` and `until` as stored instants; raise Invalid.
Since = Annotated[str | None, Depends(_since)]
Until = Annotated[str | None, Depends(_until)]


def merged(query: Model, body: Model | None) -> Model:
    """Return the query's fields, overridden by those of the body."""
    said = {name: getattr(body, name) for name in body.model_fields_set} if body else {}
    return query.model_copy(update=said)
