"""Define methods of both clients once: each describes a call or a plan, and the client performs it."""

import inspect
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping
from functools import cache, wraps
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    overload,
)

from signet.client.call import PART, Call, Plan, T, U, ask
from signet.wire.operation import Operation

P = ParamSpec("P")
Part = TypeVar("Part")
#: A function whose arguments are the fields of a request, and whose answer is a `T`.
Asking = Callable[Concatenate[Any, P], T]
#: The fields of a request by name.
Fields = dict[str, Any]
#: A description: `Call[T]` or `Plan[T]`.
Asked = TypeVar("Asked")
Made = TypeVar("Made", bound=Callable[..., Any])

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)


class Blocking(Protocol):
    """A client that returns an answer directly."""

    def perform(self, asked: Call[T] | Plan[T]) -> T:
        """Perform a description and return the answer."""


class Awaiting(Protocol):
    """A client whose answers are awaited."""

    async def perform(self, asked: Call[T] | Plan[T]) -> T:
        """Perform a description and return the answer."""


class Method(Generic[P, Asked, T]):
    """A method of both clients; on the class that defines it, it returns the description."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Asked]) -> None:
        self.describe = describe
        self._made: dict[type, Callable[..., Any]] = {}

    @overload
    def __get__(self, client: Blocking, owner: Any = None) -> Callable[P, T]: ...
    @overload
    def __get__(
        self, client: Awaiting, owner: Any = None
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: None, owner: Any = None) -> Callable[P, Asked]: ...
    def __get__(self, client: Any, owner: Any = None) -> Any:
        if not hasattr(owner, "perform"):
            return self._described
        if owner not in self._made:
            make = _awaiting if inspect.iscoroutinefunction(owner.perform) else _blocking
            self._made[owner] = _named(make(self.describe), self.describe)
        made = self._made[owner]
        return made if client is None else made.__get__(client, owner)

    def _described(self, *args: P.args, **given: P.kwargs) -> Asked:
        return self.describe(None, *args, **given)


@overload
def method(describe: Callable[Concatenate[Any, P], Call[T]]) -> Method[P, Call[T], T]: ...
@overload
def method(describe: Callable[Concatenate[Any, P], Plan[T]]) -> Method[P, Plan[T], T]: ...
def method(describe: Callable[Concatenate[Any, P], Any]) -> Method[P, Any, Any]:
    """Make a function that describes a call or a plan a method of both clients."""
    return Method(describe)


@overload
def asks(
    operation: Operation[T],
    *,
    names: Mapping[str, str] = ...,
    fixed: Mapping[str, Any] = ...,
    is_safe: bool | str = ...,
    prepared: Callable[[Fields], Fields] = ...,
    has_body: bool = ...,
    accepts: frozenset[int] = ...,
) -> Callable[[Asking[P, T]], Method[P, Call[T], T]]: ...
@overload
def asks(
    operation: Operation[T],
    *,
    pick: Callable[[T], list[Part]],
    names: Mapping[str, str] = ...,
    is_safe: bool = ...,
) -> Callable[[Asking[P, list[Part]]], Method[P, Call[list[Part]], list[Part]]]: ...
@overload
def asks(
    operation: Operation[T | U],
    *,
    kind: type[U],
    names: Mapping[str, str] = ...,
    fixed: Mapping[str, Any] = ...,
    is_safe: bool = ...,
) -> Callable[[Asking[P, U]], Method[P, Call[U], U]]: ...
@overload
def asks(
    operation: Operation[T | U],
    *,
    kind: type[U],
    pick: Callable[[U], list[Part]],
    names: Mapping[str, str] = ...,
) -> Callable[[Asking[P, list[Part]]], Method[P, Call[list[Part]], list[Part]]]: ...
def asks(
    operation: Operation[Any],
    *,
    kind: type[Any] | None = None,
    pick: Callable[[Any], list[Any]] | None = None,
    names: Mapping[str, str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    prepared: Callable[[Fields], Fields] = lambda sent: sent,
    is_safe: bool | str = False,
    has_body: bool | None = None,
    accepts: frozenset[int] = frozenset(),
) -> Callable[[Asking[P, Any]], Method[P, Any, Any]]:
    """Make an empty function a client method for an operation; its signature declares fields and answer.

    Each argument is the path part or field of its name, or of that in `names`. `fixed` fields are always sent, and
    `prepared` may change all of them. Fields go into the body, for GET and DELETE into the query, unless `has_body`
    overrides this. None, and False as a default, are not sent. `pick` extracts a list from the answer; `kind` selects
    one of several answer types. `is_safe`: sending it twice is harmless, or the name of the argument that makes it
    so.
    """

    def make(asking: Asking[P, Any]) -> Method[P, Any, Any]:
        @wraps(asking)
        def describe(*args: Any, **given: Any) -> Call[Any]:
            sent = {
                (names or {}).get(name, name): value for name, value in _given(asking, args, given)
            }
            safe = bool(sent.get(is_safe)) if isinstance(is_safe, str) else is_safe
            parts = [sent.pop(name) for name in PART.findall(operation.path)]
            sent = {**prepared(sent), **(fixed or {})}
            if operation.method not in ("GET", "DELETE") if has_body is None else has_body:
                call = ask(operation, *parts, body=sent, is_safe=safe, accepts=accepts)
            else:
                call = ask(operation, *parts, is_safe=safe, accepts=accepts, **sent)
            return call.picking(pick) if pick else call

        return Method(describe)

    return make


def _given(
    asking: Callable[..., Any], args: tuple[Any, ...], given: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the arguments to send by name; raises TypeError for wrong ones."""
    signature = _signature(asking)
    bound = signature.bind(*args, **given)
    bound.apply_defaults()
    _, *said = bound.arguments.items()
    for name, value in said:
        parameter = signature.parameters[name]
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from value.items()
        elif value is not None and not (value is False and parameter.default is False):
            yield name, value


_signature = cache(inspect.signature)


def _blocking(describe: Callable[..., Any]) -> Callable[..., Any]:
    def made(self: Blocking, /, *args: Any, **given: Any) -> Any:
        return self.perform(describe(self, *args, **given))

    return made


def _awaiting(describe: Callable[..., Any]) -> Callable[..., Any]:
    async def made(self: Awaiting, /, *args: Any, **given: Any) -> Any:
        return await self.perform(describe(self, *args, **given))

    return made


def _named(made: Made, described: Callable[..., Any]) -> Made:
    """Copy name, docstring and signature to the method, for `help` and editors."""
    made.__name__ = described.__name__
    made.__qualname__ = described.__name__
    made.__doc__ = described.__doc__
    signature = inspect.signature(described)
    _, *parameters = signature.parameters.values()
    made.__signature__ = signature.replace(  # type: ignore[attr-defined]  # typeshed does not know it
        parameters=[_SELF, *parameters],
        return_annotation=_answered(signature.return_annotation),
    )
    return made


def _answered(described: Any) -> Any:
    """Return the type of the answer: the last parameter of `Call` and `Plan`."""
    is_described = get_origin(described) in (Call, Generator)
    return get_args(described)[-1] if is_described else described
