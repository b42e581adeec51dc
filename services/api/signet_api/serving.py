"""Register route handlers for declared operations."""

import json
import re
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from signet.errors import Invalid
from signet.text.controls import encodable
from signet.text.json_text import STRICT
from signet.wire import operations
from signet.wire.operation import JSON, Operation
from signet.wire.requests.model import spellings
from signet_api import segments
from signet_api.openapi import RESPONSES, SUCCESS

P = ParamSpec("P")
Reply = TypeVar("Reply")
Handler = Callable[P, Awaitable[Reply | Response]]
First = Callable[[Request], Awaitable[Response | None]]

segments.install()
#: All operations with a handler; importing `routes` fills it.
ROUTER = APIRouter(responses=RESPONSES)


def serves(
    operation: Operation[Reply],
    *,
    first: First | None = None,
    description: dict[str, Any] | None = None,
    parameters: Collection[str] = (),
) -> Callable[[Handler[P, Reply]], Handler[P, Reply]]:
    """Register a handler for an operation; a handler may serve several.

    Parameters are FastAPI's: path, query (`params.py` has types), one body, and dependencies from `deps.py`. The
    result is sent as JSON unchanged; the type checker compares it with the declared reply. `first` runs before the
    body is read and may raise or return an answer. `description` extends OpenAPI beyond the signature; `parameters`
    names query parameters that the handler reads from the request.
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
            response_description=SUCCESS,
            dependencies=[] if operation.method == "GET" else [Depends(_utf8)],
            openapi_extra=description,
            include_in_schema=operation.media_type != "text/html",
            route_class_override=_checked(first, frozenset(parameters)),
        )
        return handler

    return register


def _checked(first: First | None, more: frozenset[str]) -> type[APIRoute]:
    class Checked(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle, known = super().get_route_handler(), more | _parameters(self.dependant)

            async def handle_checked(request: Request) -> Response:
                if request.scope["query_string"]:
                    _name_parameters(request, known)
                answer = await first(request) if first else None
                return answer or await handle(request)

            return handle_checked

    return Checked


def _parameters(dependant: Dependant) -> frozenset[str]:
    """Return a route's query parameters in all spellings, including those of its dependencies."""
    found: set[str] = set()
    for field in dependant.query_params:
        model = field.field_info.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            found.update(spellings(model))
        else:
            found.add(field.alias)
    return frozenset(found).union(*map(_parameters, dependant.dependencies))


def _name_parameters(request: Request, known: frozenset[str]) -> None:
    """Rename query parameters to their declared spelling; raises Invalid for unknown ones, because ignoring a filter
    would return everything.
    """
    sent = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    names = {name: name if name in known else _respelled(name) for name, _ in sent}
    unknown = sorted(name for name, declared in names.items() if declared not in known)
    if unknown:
        takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
        raise Invalid(f"Unknown query parameter {unknown[0]!r}: {takes}", parameters=unknown)
    if any(name != declared for name, declared in names.items()):
        query = urlencode([(names[name], value) for name, value in sent])
        request.scope["query_string"] = query.encode("latin-1")


def _respelled(name: str) -> str:
    """Return `agentId` for `agent_id`, and vice versa."""
    if "_" in name:
        first, *rest = name.split("_")
        return first + "".join(part.capitalize() for part in rest)
    return re.sub("(?<=.)([A-Z])", lambda letter: f"_{letter[0].lower()}", name)


def literal(path: str) -> int:
    """Return the length of a path's fixed part; the longest match wins."""
    return len(path.partition("{")[0])


async def _utf8(request: Request) -> None:
    """Refuse the other JSON encodings that the framework accepts against the standard (RFC 8259)."""
    # Without a declared body the handler checks it.
    if request.scope["route"].body_field is None:
        return
    begin = (await request.body())[:4]
    if b"\0" in begin or begin.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Invalid("Invalid JSON body")


def respond(
    reply: Reply | Response, operation: Operation[Reply], status: int | None = None
) -> Response:
    """Return a reply as a response, with `status` if given; a Response is returned unchanged."""
    if isinstance(reply, Response):
        return reply
    is_json = operation.media_type == JSON
    # JSON has no infinite numbers; a damaged row must not break the whole answer.
    content = to_json(reply, inf_nan_mode="null") if is_json else reply
    return Response(content, status or operation.status, media_type=operation.media_type)


def respond_rows(
    fields: Mapping[str, object], name: str, rows: Iterable[Mapping[str, object]]
) -> Response:
    """Return a JSON object with these fields (at least one) and the rows under `name`."""
    head = _encoded(fields)[:-1]
    body = ",".join(map(_encoded, rows))
    return Response(f'{head},"{name}":[{body}]}}'.encode(), media_type="application/json")


def _encoded(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(raw: bytes) -> object:
    """Parse a body; raises JSONDecodeError if it is not JSON in UTF-8."""
    try:
        text = raw.decode("utf-8-sig")
        found = STRICT.decode(text)
        if _SURROGATE.search(text):
            found = STRICT.decode(encodable(json.dumps(found, ensure_ascii=False)))
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError(str(error), "", 0) from error
    return found


class Direct(BaseRoute):
    """Routes requests to paths without parameters; must precede the other routes.

    Other methods of these paths are left to the other routes, which answer 405.
    """

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._routes: dict[tuple[str, str], APIRoute] = {}
        for route in routes:
            if isinstance(route, APIRoute) and "{" not in route.path:
                for method in route.methods or ():
                    self._routes.setdefault((method, route.path), route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return the match of a request's path and method."""
        route = self._routes.get((scope.get("method", ""), scope["path"]))
        if route is None:
            return Match.NONE, {}
        return Match.FULL, {"route": route, "endpoint": route.endpoint, "path_params": {}}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)
