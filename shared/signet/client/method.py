"""Giving a generated method the name, words and signature of what it was made from."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_args

Method = TypeVar("Method", bound=Callable[..., Any])

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)


def named(method: Method, described: Callable[..., Any]) -> Method:
    """Return the method, so that `help` and editors show it as if it were written out."""
    method.__name__ = described.__name__
    method.__qualname__ = described.__qualname__
    method.__doc__ = described.__doc__
    signature = inspect.signature(described)
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]  # typeshed does not know it
        parameters=[_SELF, *signature.parameters.values()],
        # The answer is the last parameter of `Call` and of `Plan`.
        return_annotation=get_args(signature.return_annotation)[-1],
    )
    return method
