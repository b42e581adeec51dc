"""Query parameters: numbers the lenient way that clients rely on, the rest as strictly as a body."""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from signet.domain.memory import filters
from signet.wire.requests.model import SAFE_INTEGER, Whole
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


async def _either_agent(
    request: Request,
    agent_id: str | None = None,
    camel: Annotated[str | None, Query(alias="agentId")] = None,
) -> str:
    return await agent_of(camel or agent_id, None, request)


#: The agent that `agent_id` names, or the request's headers; raises ScopeDenied.
Agent = Annotated[str, Depends(_agent)]
#: The same where `agentId` names it, too.
EitherAgent = Annotated[str, Depends(_either_agent)]
#: Instants as they are stored, from `since` and `until`; raise Invalid.
Since = Annotated[str | None, Depends(_since)]
Until = Annotated[str | None, Depends(_until)]
#: The number of the last event that the client of a stream has seen; in the signature as `last_event_id`.
LastEvent = Annotated[int, Whole(0, SAFE_INTEGER), Header()]


def whole(text: str | None, default: int, *, low: int, high: int) -> int:
    """Return a whole number within bounds; what is not a number is the default."""
    try:
        value = int(text) if text is not None else default
    except ValueError:
        value = default
    return min(high, max(low, value))


def instant(address: Mapping[str, str], name: str) -> str | None:
    """Return an instant as it is stored, None when none is named; raises Invalid for what is none."""
    return filters.instant(name, (address.get(name) or "").strip() or None)


def merged(query: Model, body: Model | None) -> Model:
    """Return what a request says in its body and, where that is silent, in its address."""
    said = {name: getattr(body, name) for name in body.model_fields_set} if body else {}
    return query.model_copy(update=said)


def checked(model: type[Model], values: Mapping[str, object]) -> Model:
    """Return the parameters as a model; raises RequestValidationError, which is answered with 400."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [problem | {"loc": ("query", *problem["loc"])} for problem in error.errors()]
        raise RequestValidationError(problems) from error
