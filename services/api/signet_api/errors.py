"""Convert errors to answers: every 4xx and 5xx is a JSON object with a string `error`.

Only this module maps kinds of errors to status codes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from signet.domain.auth.limits import RateLimitExceeded
from signet.errors import Kind, ProviderDown, SignetError, TooLarge, of_system
from signet.observe import logs, record, taxonomy
from signet.wire import hooks
from signet.wire.operation import Operation
from signet_api.measure import is_change

log = logs.get("api")
hook_log = logs.get("hooks")

STATUS = {
    Kind.INVALID: 400,
    Kind.INCOMPLETE: 422,
    Kind.UNAUTHENTICATED: 401,
    Kind.FORBIDDEN: 403,
    Kind.NOT_FOUND: 404,
    Kind.CONFLICT: 409,
    Kind.TOO_LARGE: 413,
    Kind.LIMITED: 429,
    Kind.UNAVAILABLE: 503,
    Kind.UPSTREAM: 502,
    Kind.UNSUPPORTED: 501,
    Kind.BROKEN: 500,
}
#: Default `Retry-After` in seconds for busy or temporarily unavailable resources.
RETRY_AFTER = 2

_NO_JSON = "Invalid JSON body"
#: Paths with a different text for it.
_NO_JSON_AT = {"/api/auth/token": "invalid request body"}
#: Texts for unexpected errors on paths whose texts harnesses check (HK-1).
_FAILED_AT = {
    one.path: "Hook execution failed" for one in vars(hooks).values() if isinstance(one, Operation)
} | {hooks.AFTER_COMPACTION.path: "Failed to save summary"}
_PLAIN = {404: "Not found"}


def install(app: FastAPI) -> None:
    app.add_exception_handler(SignetError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(OSError, _of_system)
    app.add_exception_handler(Exception, _unexpected)


def answer(
    status: int,
    message: str,
    code: str,
    *,
    facts: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    return JSONResponse({**(facts or {}), "error": message, "code": code}, status, headers)


def note_refusal(error: SignetError) -> None:
    """Record the code of a refused change; other refusals are not errors."""
    code = taxonomy.of_refusal(error)
    if code is not None:
        memory_id = error.facts.get("id")
        record.error(code, error.message, memory_id=str(memory_id) if memory_id else None)


def other_method(method: str, allowed: Sequence[str]) -> Response:
    """Return the answer for a method that a path does not have; OPTIONS asks only which it has."""
    named = sorted({*allowed, "OPTIONS", *(["HEAD"] if "GET" in allowed else [])})
    headers = {"allow": ", ".join(named)}
    if method == "OPTIONS":
        return Response(None, 204, headers)
    return answer(405, "Method not allowed", "method_not_allowed", headers=headers)


def body_too_large() -> JSONResponse:
    """Return the answer for a body above the limit, declared or not."""
    return answer(413, "Request body is too large", TooLarge.code)


async def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, SignetError)
    status = STATUS[error.kind]
    if is_change(request.method, request.url.path):
        note_refusal(error)
    if status in (500, 503) and not isinstance(error, ProviderDown):
        log.warning("request.refused", path=request.url.path, code=error.code, detail=error.message)
    return refusal(error)


def refusal(error: SignetError) -> JSONResponse:
    status = STATUS[error.kind]
    headers = {}
    if status == 401:
        headers = {"www-authenticate": "Bearer"}
    elif isinstance(error, RateLimitExceeded):
        headers = {"retry-after": str(error.retry_after_seconds)}
    return answer(status, error.message, error.code, facts=error.facts, headers=headers)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    said = problem(first, first["loc"][1:])
    if said == _NO_JSON:
        said = _NO_JSON_AT.get(request.url.path, said)
    return answer(400, said, "invalid_request")


def problem(found: Mapping[str, Any], where: Sequence[object]) -> str:
    """Describe the error at one place of a request in the documented words."""
    name = ".".join(str(part) for part in where)
    said = str(found["msg"]).removeprefix("Value error, ")
    kind = found["type"]
    if kind == "json_invalid" or not (name or kind == "value_error"):
        return _NO_JSON
    if kind == "missing":
        return f"{name} is required"
    if kind in ("model_type", "model_attributes_type"):  # pydantic prefixes our class names
        said = "Input should be an object"
    return f"{name}: {said}" if name else said


async def _plain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 413:
        return body_too_large()
    if error.status_code == 400:  # the framework could not read the body
        return answer(400, _NO_JSON, "invalid_request")
    message = _PLAIN.get(error.status_code, str(error.detail))
    code = message.lower().replace(" ", "_")
    return answer(error.status_code, message, code, headers=error.headers)


async def _left(request: Request, error: Exception) -> JSONResponse:
    """Count a client that disconnected while sending its body, without logging an error."""
    return answer(400, "The body ended early", "incomplete_body")


async def _of_system(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OSError)
    found = of_system(error)
    if found is None:
        raise error
    return await _ours(request, found)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    path = request.url.path
    said = _FAILED_AT.get(path)
    if said is None:
        log.error("request.failed", path=path, exc_info=error)
    else:
        hook_log.error("hook.failed", path=path, exc_info=error)
    return answer(500, said or "Internal server error", "internal")
