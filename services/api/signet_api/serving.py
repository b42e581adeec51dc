"""Routes from declared operations: `serves` registers a handler, the rest follows from the declaration."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from pydantic_core import to_json

from signet.errors import Invalid
from signet.wire import operations
from signet.wire.operation import JSON, Operation
from signet_api import segments
from signet_api.openapi import RESPONSES

P = ParamSpec("P")
Reply = TypeVar("Reply")
Handler = Callable[P, Awaitable[Reply | Response]]
First = Callable[[Request], Awaitable[Response | None]]

segments.install()
#: Every operation that has a handler; the modules of `routes` fill it when they are imported.
ROUTER = APIRouter(responses=RESPONSES)


def serves(
    operation: Operation[Reply],
    *,
    first: First | None = None,
    description: dict[str, Any] | None = None,
) -> Callable[[Handler[P, Reply]], Handler[P, Reply]]:
    """Register a handler for an operation; it may serve several.

    Its parameters are FastAPI's: path, query (`params.py` has kinds of them), one body, and what `deps.py` names. What
    it returns is sent as JSON as it is: the compiler has compared it with the declared reply. `first` is called before
    the body is read; it raises what refuses the request, or returns its answer, whatever it says. `description` says in
    OpenAPI what the signature cannot.
    """

    def register(handler: Handler[P, Reply]) -> Handler[P, Reply]:
        @wraps(handler)
        async def answered(*args: P.args, **given: P.kwargs) -> Response:
            return respond(await handler(*args, **given), operation)

        ROUTER.add_api_route(
            operation.path,
            answered,
            methods=[operation.method],
            status_code=operation.status,
            operation_id=operations.id_of(operation),
            tags=[operations.family_of(operation)],
            response_model=None,
            dependencies=[] if operation.method == "GET" else [Depends(_utf8)],
            openapi_extra=description,
            include_in_schema=operation.media_type != "text/html",
            route_class_override=APIRoute if first is None else _after(first),
        )
        return handler

    return register


def _after(first: First) -> type[APIRoute]:
    class After(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handle_after(request: Request) -> Response:
                return await first(request) or await handle(request)

            return handle_after

    return After


def literal(path: str) -> int:
    """Return how much of a path is the same for everybody; where two paths match, the longer is meant."""
    return len(path.partition("{")[0])


async def _utf8(request: Request) -> None:
    """Refuse the other encodings that the framework reads JSON in; no standard has them (RFC 8259)."""
    # Without a declared body the handler reads it itself, or nobody does.
    if request.scope["route"].body_field is None:
        return
    begin = (await request.body())[:4]
    if b"\0" in begin or begin.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Invalid("Invalid JSON body")


def respond(
    reply: Reply | Response, operation: Operation[Reply], status: int | None = None
) -> Response:
    """Return a reply as it is sent, with another status of success if one is named; a Response stays what it is."""
    if isinstance(reply, Response):
        return reply
    is_json = operation.media_type == JSON
    # JSON has no infinite numbers; a damaged row must not make the whole answer unreadable.
    content = to_json(reply, inf_nan_mode="null") if is_json else reply
    return Response(content, status or operation.status, media_type=operation.media_type)
