"""Define methods of both clients once: each describes a call or a plan, and the client performs it."""

import ast
import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping
from functools import cache, cached_property
from operator import itemgetter
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
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

from signet.client.call import PART, Call, Plan, T, ask
from signet.wire.operation import Operation

P = ParamSpec("P")
#: The fields of a request by name.
Fields = dict[str, Any]
#: A description: `Call[T]` or `Plan[T]`.
Asked = TypeVar("Asked")
Made = TypeVar("Made", bound=Callable[..., Any])

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
_NO_FIELDS: Mapping[str, Any] = MappingProxyType({})


class Blocking(Protocol):
    """A client that returns an answer directly."""

    def perform(self, asked: Call[T] | Plan[T]) -> T:
        """Perform a description and return the answer."""


class Awaiting(Protocol):
    """A client whose answers are awaited."""

    async def perform(self, asked: Call[T] | Plan[T]) -> T:
        """Perform a description and return the answer."""


class ClientMethod(Generic[P, Asked, T]):
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
def method(describe: Callable[Concatenate[Any, P], Call[T]]) -> ClientMethod[P, Call[T], T]: ...
@overload
def method(describe: Callable[Concatenate[Any, P], Plan[T]]) -> ClientMethod[P, Plan[T], T]: ...
def method(describe: Callable[Concatenate[Any, P], Any]) -> ClientMethod[P, Any, Any]:
    """Make a function that describes a call or a plan a method of both clients."""
    return ClientMethod(describe)


class Request(ClientMethod[..., Call[Any], Any]):
    """A method for one operation; `calls.pyi` has its signature and description.

    `positional` names arguments that need no keyword, after those of the path; `?` marks optional ones. The other
    fields of the request are keyword arguments: all but those in `hides`, or just those in `only`, and `extra` ones
    with their type. `needs` names arguments that only the client requires, `defaults` are values that it always sends.
    An argument is the field of its name, or of that in `names`. `fixed` fields are always sent, and `prepared` may
    change all of them. Fields go into the body, for GET and DELETE into the query, unless `has_body` overrides this.
    None and default values of the API are not sent. `pick` names a list in the answer to return; `kind` selects one of
    several answer types. `is_safe`: sending it twice is harmless, or the name of the argument that makes it so.
    `accepts` are error statuses that are answers of this call. `doc` replaces the description of the operation, for
    methods that use a part of it.
    """

    def __init__(
        self,
        operation: Operation[Any],
        positional: str = "",
        *,
        doc: str = "",
        kind: type[Any] | None = None,
        pick: str | None = None,
        only: str | None = None,
        hides: str = "",
        needs: str = "",
        extra: Mapping[str, str] = _NO_FIELDS,
        defaults: Mapping[str, Any] = _NO_FIELDS,
        names: Mapping[str, str] = _NO_FIELDS,
        fixed: Mapping[str, Any] = _NO_FIELDS,
        prepared: Callable[[Fields], Fields] = lambda sent: sent,
        is_safe: bool | str = False,
        has_body: bool | None = None,
        accepts: frozenset[int] = frozenset(),
    ) -> None:
        self._made = {}
        self.operation, self.pick, self.doc = operation, pick, doc
        self.replies = (kind,) if kind else operation.replies
        self.positional = positional.split()
        self.only = None if only is None else only.split()
        self.hides, self.needs = hides.split(), needs.split()
        self.extra, self.defaults, self.names, self.fixed = extra, defaults, names, fixed
        self._prepared, self._is_safe, self._accepts = prepared, is_safe, accepts
        self._has_body = operation.method not in ("GET", "DELETE") if has_body is None else has_body

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    @cached_property
    def describe(self) -> Callable[..., Call[Any]]:  # type: ignore[override]  # read from the stub when needed
        """Return the function that describes the call of this method's arguments."""
        declared = _declared(self.name)
        signature = _signature(declared, self.replies[0] if self.pick is None else list)
        usual = {name: one.default for name, one in signature.parameters.items()}

        def describe(*args: Any, **given: Any) -> Call[Any]:
            """Raise TypeError for a missing or unknown argument."""
            _, *bound = signature.bind(*args, **given).arguments.items()
            sent = {name: value for name, value in bound if value not in (None, usual[name])}
            return self._call({**self.defaults, **sent})

        describe.__name__ = self.name
        describe.__doc__ = ast.get_docstring(declared)
        describe.__signature__ = signature  # type: ignore[attr-defined]  # typeshed does not know it
        return describe

    def _call(self, given: Fields) -> Call[Any]:
        sent = {self.names.get(name, name): value for name, value in given.items()}
        safe = self._is_safe
        is_safe = bool(sent.get(safe)) if isinstance(safe, str) else safe
        parts = [sent.pop(name) for name in PART.findall(self.operation.path)]
        sent = {**self._prepared(sent), **self.fixed}
        body, params = (sent, {}) if self._has_body else (None, sent)
        call = ask(
            self.operation, *parts, body=body, is_safe=is_safe, accepts=self._accepts, **params
        )
        return call if self.pick is None else call.picking(itemgetter(self.pick))


@cache
def _stub() -> str:
    return Path(__file__).with_name("calls.pyi").read_text("utf-8")


def _declared(name: str) -> ast.FunctionDef:
    """Return a method's declaration in `calls.pyi`."""
    text = _stub()
    start = text.index(f"    def {name}(")
    end = text.find("\n    @", start)
    declared = ast.parse(dedent(text[start : None if end < 0 else end])).body[0]
    assert isinstance(declared, ast.FunctionDef)
    return declared


def _signature(declared: ast.FunctionDef, answer: Any) -> inspect.Signature:
    given = declared.args
    required = [None] * (len(given.args) - len(given.defaults))
    defaults = (*required, *given.defaults, *given.kw_defaults)
    parameters = [
        inspect.Parameter(
            one.arg,
            inspect.Parameter.KEYWORD_ONLY
            if one in given.kwonlyargs
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if value is None else ast.literal_eval(value),
            annotation=ast.unparse(one.annotation) if one.annotation else inspect.Parameter.empty,
        )
        for one, value in zip((*given.args, *given.kwonlyargs), defaults, strict=True)
    ]
    return inspect.Signature(parameters, return_annotation=answer)


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
        parameters=[_SELF, *parameters], return_annotation=_answered(signature.return_annotation)
    )
    return made


def _answered(described: Any) -> Any:
    """Return the type of the answer: the last parameter of `Call` and `Plan`."""
    is_described = get_origin(described) in (Call, Generator)
    return get_args(described)[-1] if is_described else described
