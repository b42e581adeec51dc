"""Signatures and descriptions of the clients' methods, from `calls.pyi`: for `help`, editors and tests."""

import ast
import inspect
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeVar, get_args, get_origin

from signet.client.call import Call
from signet.client.method import Awaiting, Blocking, ClientMethod, Request

Made = TypeVar("Made", bound=Callable[..., Any])

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)


def describing(request: Request) -> Callable[..., Call[Any]]:
    """Return a function that describes the call of a request, with its signature."""
    declared = _declared(request.name)

    def describe(_: object, *args: Any, **given: Any) -> Call[Any]:
        return request.asked(args, given)

    describe.__name__ = request.name
    describe.__doc__ = ast.get_docstring(declared)
    answer = request.replies[0] if request.pick is None else list
    describe.__signature__ = signature(declared, answer)  # type: ignore[attr-defined]  # typeshed does not know it
    return describe


def parameters(name: str) -> dict[str, Any]:
    """Return the parameters of a request as `calls.json` has them."""
    _, *found = signature(_declared(name), None).parameters.values()
    return {
        "positional": [one.name for one in found if one.kind is one.POSITIONAL_OR_KEYWORD],
        "all": [one.name for one in found],
        "required": [one.name for one in found if one.default is one.empty],
        "usual": {one.name: one.default for one in found if one.default not in (one.empty, None)},
    }


@cache
def _stub() -> str:
    return Path(__file__).with_name("calls.pyi").read_text("utf-8")


def _declared(name: str) -> ast.FunctionDef:
    text = _stub()
    start = text.index(f"    def {name}(")
    end = text.find("\n    @", start)
    declared = ast.parse(dedent(text[start : None if end < 0 else end])).body[0]
    assert isinstance(declared, ast.FunctionDef)
    return declared


def signature(declared: ast.FunctionDef, answer: Any) -> inspect.Signature:
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


def blocking(method: ClientMethod[..., Any, Any]) -> Callable[..., Any]:
    """Return the method of a client that answers directly."""

    def made(self: Blocking, /, *args: Any, **given: Any) -> Any:
        return self.perform(method.asked(args, given))

    return _named(made, method.describe)


def awaiting(method: ClientMethod[..., Any, Any]) -> Callable[..., Any]:
    """Return the method of a client whose answers are awaited."""

    async def made(self: Awaiting, /, *args: Any, **given: Any) -> Any:
        return await self.perform(method.asked(args, given))

    return _named(made, method.describe)


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
