"""Methods of both clients, written once: each describes a call or a plan, and the client carries it out."""

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, get_args, overload

from signet.client.call import Call, Plan, T

P = ParamSpec("P")
#: What is described: `Call[T]` or `Plan[T]`.
Asked = TypeVar("Asked")
Made = TypeVar("Made", bound=Callable[..., Any])

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)


class Blocking(Protocol):
    """A client that returns an answer when it is there."""

    def perform(self, asked: Call[T] | Plan[T]) -> T:
        """Return the answer."""


class Awaiting(Protocol):
    """A client whose answers are awaited."""

    async def perform(self, asked: Call[T] | Plan[T]) -> T:
        """Return the answer."""


class Method(Generic[P, Asked, T]):
    """A method of both clients; of the class that it is written in, it returns what would be asked."""

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
    """Make a function that describes a call, or a plan, a method of both clients."""
    return Method(describe)


def _blocking(describe: Callable[..., Any]) -> Callable[..., Any]:
    def made(self: Blocking, /, *args: Any, **given: Any) -> Any:
        return self.perform(describe(self, *args, **given))

    return made


def _awaiting(describe: Callable[..., Any]) -> Callable[..., Any]:
    async def made(self: Awaiting, /, *args: Any, **given: Any) -> Any:
        return await self.perform(describe(self, *args, **given))

    return made


def _named(made: Made, described: Callable[..., Any]) -> Made:
    """Return the method, so that `help` and editors show it as if it were written out."""
    made.__name__ = described.__name__
    made.__qualname__ = described.__name__
    made.__doc__ = described.__doc__
    signature = inspect.signature(described)
    _, *parameters = signature.parameters.values()
    made.__signature__ = signature.replace(  # type: ignore[attr-defined]  # typeshed does not know it
        parameters=[_SELF, *parameters],
        # The answer is the last parameter of `Call` and of `Plan`.
        return_annotation=get_args(signature.return_annotation)[-1],
    )
    return made
