"""One request to the daemon as a value, and how its answer is read. Pure: shared by both clients.

What can be asked is described once, in `calls/`. A transport sends the description and comes back with a `Reply`.
"""

import json
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast
from urllib.parse import quote, urlencode

from signet.client.errors import BadAnswer, refusal
from signet.text import json_text

if TYPE_CHECKING:  # a hook asks for no operation
    from signet.wire.operation import Operation

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")
#: An id in the path of an operation.
PART = re.compile(r"\{(\w+)\}")
#: What one parameter of an address may be.
Param = str | int | float | bool | None
#: A JSON object.
Body = dict[str, Any]


class Call(NamedTuple, Generic[T]):
    """One request whose answer is a `T`.

    `pick` reads the list that is the answer out of the whole one. `is_safe` says that sending it twice does no harm.
    `accepts` holds statuses that are answers here although they are refusals elsewhere.
    """

    method: str
    path: str
    params: Mapping[str, Param] = MappingProxyType({})
    body: Mapping[str, object] | None = None
    pick: Callable[[Any], Any] | None = None
    is_safe: bool = False
    accepts: frozenset[int] = frozenset()

    def picking(self, read: Callable[[T], list[U]]) -> "Call[list[U]]":
        """Return the same request, of whose answer only a list is wanted."""
        return cast("Call[Any]", self)._replace(pick=read)

    @property
    def target(self) -> str:
        """Return path and query; parameters that are None are left out."""
        query = urlencode(
            {name: _text(value) for name, value in self.params.items() if value is not None}
        )
        return f"{self.path}?{query}" if query else self.path

    @property
    def content(self) -> bytes | None:
        """Return the body as it is sent."""
        return None if self.body is None else json.dumps(self.body, default=_plain).encode()


class Reply(NamedTuple):
    """What came back: status, headers by lower-case name, the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Pause(NamedTuple):
    """A wait between two calls of a plan."""

    seconds: float


#: Several calls that belong together, for example waiting for a job: yields what to do next, is sent each answer.
Plan = Generator[Call[Any] | Pause, Any, T]


def ask(
    operation: "Operation[T]",
    *parts: str,
    body: Mapping[str, object] | None = None,
    is_safe: bool = False,
    accepts: frozenset[int] = frozenset(),
    **params: Param,
) -> Call[T]:
    """Return the call of an operation; `parts` stand in its path, and fields of the body that are None are left out."""
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
    """Return the call of an operation that has several kinds of answers, where this one is asked for."""
    return cast("Call[U]", call)


def answer(call: Call[T], reply: Reply) -> T:
    """Return what a reply says; raises the error that a refusal stands for, or BadAnswer."""
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
    """Return an id as one part of a path; an empty one would name another route, and dots another folder."""
    encoded = quote(text, safe="") or "%20"
    return encoded.replace(".", "%2E") if text in (".", "..") else encoded


def _plain(value: object) -> object:
    """Return a collection of any kind as JSON has it; raises TypeError for what is none."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{value!r} cannot be sent as JSON")


def _text(value: object) -> str:
    """Return a value as an address has it: several are a comma list."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)
