"""Requests to the daemon as values, and their answers. Pure: shared by both clients.

`calls/` describes each request once. A transport sends the description and returns a `Reply`.
"""

import json
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast
from urllib.parse import quote, urlencode

from signet.client.errors import BadAnswer, refusal
from signet.text import json_text

if TYPE_CHECKING:  # hooks call no operation
    from signet.wire.operation import Operation

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")
#: A path parameter of an operation.
PART = re.compile(r"\{(\w+)\}")
#: Types of query parameters.
Param = str | int | float | bool | None
#: A JSON object.
Body = dict[str, Any]


class Call(NamedTuple, Generic[T]):
    """One request whose answer is a `T`.

    `pick` extracts a list from the answer. `is_safe`: sending it twice is harmless. `accepts` are error statuses that
    are answers of this call.
    """

    method: str
    path: str
    params: Mapping[str, Param] = MappingProxyType({})
    body: Mapping[str, object] | None = None
    pick: Callable[[Any], Any] | None = None
    is_safe: bool = False
    accepts: frozenset[int] = frozenset()

    def picking(self, read: Callable[[T], list[U]]) -> "Call[list[U]]":
        """Return the same request, with a function that extracts a list from its answer."""
        return cast("Call[Any]", self)._replace(pick=read)

    @property
    def target(self) -> str:
        """Return path and query, without parameters equal to None."""
        query = urlencode(
            {name: _text(value) for name, value in self.params.items() if value is not None}
        )
        return f"{self.path}?{query}" if query else self.path

    @property
    def content(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body, default=_plain).encode()


class RawReply(NamedTuple):
    """A response: status, headers by lower-case name, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wait(NamedTuple):
    """A wait between two calls of a plan."""

    seconds: float


#: Several related calls, such as waiting for a job: yields the next step and is sent each answer.
Plan = Generator[Call[Any] | Wait, Any, T]


def ask(
    operation: "Operation[T]",
    *parts: str,
    body: Mapping[str, object] | None = None,
    is_safe: bool = False,
    accepts: frozenset[int] = frozenset(),
    **params: Param,
) -> Call[T]:
    """Return the call of an operation; `parts` fill its path, and body fields equal to None are omitted."""
    ids = iter(parts)
    return Call(
        method=operation.method,
        path=PART.sub(lambda _: part(next(ids)), operation.path),
        params=params,
        body=None if body is None else given(body),
        is_safe=is_safe or operation.method == "GET",
        accepts=accepts,
    )


def only(kind: type[U], call: Call[U | V]) -> Call[U]:
    """Return the call of an operation with several answer types, typed as `kind`."""
    return cast("Call[U]", call)


def answer(call: Call[T], reply: RawReply) -> T:
    """Return the answer in a reply; raises the error of a refusal, or BadAnswer."""
    value: object = json_text.value(reply.body)
    if reply.status >= 400 and reply.status not in call.accepts:
        raise refusal(reply.status, value, reply.headers.get("retry-after"))
    if not isinstance(value, dict):
        raise BadAnswer(f"{call.path} did not answer with a JSON object")
    if call.pick is None:
        return cast("T", value)
    try:
        picked = call.pick(value)
    except KeyError as error:
        raise BadAnswer(f"{call.path} answered without a list of {error.args[0]}") from error
    if not isinstance(picked, list):
        raise BadAnswer(f"{call.path} answered with something else than a list")
    return cast("T", picked)


def given(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def part(text: str) -> str:
    """Encode an ID as one path segment; raises for an empty one or dots, which would name another route."""
    encoded = quote(text, safe="") or "%20"
    return encoded.replace(".", "%2E") if text in (".", "..") else encoded


def _plain(value: object) -> object:
    """Convert any collection for JSON; raises TypeError for other values."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{value!r} cannot be sent as JSON")


def _text(value: object) -> str:
    """Encode a query value; several are comma-separated."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)
