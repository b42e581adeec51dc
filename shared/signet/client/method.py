"""Define methods of both clients once: each describes a call or a plan, and the client performs it.

A request reads its parameters from `calls.json`. Signatures and descriptions, which only people and editors need, are
made by `signatures.py`.
"""

import json
from collections.abc import Callable, Coroutine, Mapping
from functools import cache, cached_property
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeVar, overload

from signet.client.call import PART, Call, Plan, T, ask

P = ParamSpec("P")
#: The fields of a request by name.
Fields = dict[str, Any]
#: A description: `Call[T]` or `Plan[T]`.
Asked = TypeVar("Asked")

_NO_FIELDS: Mapping[str, Any] = MappingProxyType({})
#: The flag of a function whose answer is awaited (`inspect.CO_COROUTINE`, which loads slowly).
_AWAITED = 0x80
SIGNATURES = "signet.client.signatures"


class Declared(NamedTuple):
    """A name in a module of `wire`, imported when it is needed: a command needs few of them."""

    module: str
    name: str

    def found(self) -> Any:
        return getattr(import_module(f"signet.wire.{self.module}"), self.name)


class _Module:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Declared:
        return Declared(self._name, name)


class _Wire:
    def __getattr__(self, module: str) -> _Module:
        return _Module(module)


#: `wire.recall.RECALL` names this operation without importing it.
wire = _Wire()


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
        self._made: dict[bool, Callable[..., Any]] = {}

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
        is_awaited = bool(owner.perform.__code__.co_flags & _AWAITED)
        if client is not None and not is_awaited:
            return _Bound(self, client)
        if is_awaited not in self._made:
            make = (
                import_module(SIGNATURES).awaiting
                if is_awaited
                else import_module(SIGNATURES).blocking
            )
            self._made[is_awaited] = make(self)
        made = self._made[is_awaited]
        return made if client is None else made.__get__(client, owner)

    def asked(self, args: tuple[Any, ...], given: Fields) -> Asked:
        """Return the description of a call with these arguments."""
        return self.describe(None, *args, **given)

    def _described(self, *args: P.args, **given: P.kwargs) -> Asked:
        return self.asked(args, given)


class _Bound:
    # A method of one client. Name, description and signature are those of the function of its class.

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # typeshed has a variable
        return self.__getattr__("__doc__")  # type: ignore[no-any-return]

    def __init__(self, method: ClientMethod[..., Any, Any], client: Any) -> None:
        self._method, self._client = method, client

    def __call__(self, *args: Any, **given: Any) -> Any:
        return self._client.perform(self._method.asked(args, given))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._method.__get__(None, type(self._client)), name)


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
        operation: Any,
        positional: str = "",
        *,
        doc: str = "",
        kind: Any = None,
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
        self._operation: Declared = operation
        self._kind: Declared | None = kind
        self.pick, self.doc = pick, doc
        self.positional = positional.split()
        self.only = None if only is None else only.split()
        self.hides, self.needs = hides.split(), needs.split()
        self.extra, self.defaults, self.names, self.fixed = extra, defaults, names, fixed
        self._prepared, self._is_safe, self._accepts = prepared, is_safe, accepts
        self._has_body = has_body

    def __set_name__(self, _: type, name: str) -> None:
        self.name = name

    @cached_property
    def operation(self) -> Any:
        return self._operation.found()

    @property
    def replies(self) -> tuple[type[Any], ...]:
        found: tuple[type[Any], ...] = self.operation.replies
        return (self._kind.found(),) if self._kind else found

    @cached_property
    def describe(self) -> Callable[..., Call[Any]]:  # type: ignore[override]  # read from the stub when needed
        """Return the function that describes the call of this method's arguments."""
        made: Callable[..., Call[Any]] = import_module(SIGNATURES).describing(self)
        return made

    def asked(self, args: tuple[Any, ...], given: Fields) -> Call[Any]:
        """Return the call of these arguments; raises TypeError for a missing or unknown one."""
        known = _known()[self.name]
        sent = dict(zip(known["positional"], args, strict=False))
        wrong = [name for name in given if name in sent or name not in known["all"]]
        sent |= given
        wrong += [name for name in known["required"] if name not in sent]
        if wrong or len(args) > len(known["positional"]):
            raise TypeError(f"{self.name}() got wrong arguments: {', '.join(wrong) or args}")
        usual = known["usual"]
        sent = {name: one for name, one in sent.items() if one not in (None, usual.get(name))}
        return self._call({**self.defaults, **sent})

    def _call(self, given: Fields) -> Call[Any]:
        operation = self.operation
        sent = {self.names.get(name, name): value for name, value in given.items()}
        safe = self._is_safe
        is_safe = bool(sent.get(safe)) if isinstance(safe, str) else safe
        parts = [sent.pop(name) for name in PART.findall(operation.path)]
        sent = {**self._prepared(sent), **self.fixed}
        has_body = self._has_body
        if has_body is None:
            has_body = operation.method not in ("GET", "DELETE")
        body, params = (sent, {}) if has_body else (None, sent)
        call: Call[Any] = ask(
            operation, *parts, body=body, is_safe=is_safe, accepts=self._accepts, **params
        )
        return call if self.pick is None else call.picking(itemgetter(self.pick))


@cache
def _known() -> dict[str, Any]:
    """Return the parameters of each request: `positional`, `all` and `required` names, `usual` values."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("calls.json").read_bytes())
    return found
