"""Giving a generated method the name, words and signature of what it was made from."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)


def named(method: Method, described: Callable[..., Any]) -> Method:
    """Return the method, so that `help` and editors show it as if it were written out."""
    method.__name__ = described.__name__
    method.__qualname__ = described.__qualname__
    method.__doc__ = described.__doc__
    signature = inspect.signature(described)
    shown = signature.replace(parameters=[_SELF, *signature.parameters.values()])
    method.__signature__ = shown  # type: ignore[attr-defined]  # functions may have one; typeshed does not know
    return method
