"""Query parameters: numbers the lenient way that clients rely on, the rest as strictly as a body."""

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


#: The agent that `agent_id` names, or the request's headers; raises ScopeDenied.
Agent = Annotated[str, Depends(_agent)]
#: Instants as they are stored, from `since` and `until`; raise Invalid.
Since = Annotated[str | None, Depends(_since)]
Until = Annotated[str | None, Depends(_until)]


def merged(query: Model, body: Model | None) -> Model:
    """Return what a request says in its body and, where that is silent, in its address."""
    said = {name: getattr(body, name) for name in body.model_fields_set} if body else {}
    return query.model_copy(update=said)
