"""Reading query parameters: numbers the lenient way that clients rely on, the rest as strictly as a body."""

from collections.abc import Mapping
from typing import TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from signet.domain.memory import filters

Model = TypeVar("Model", bound=BaseModel)


def whole(text: str | None, default: int, *, low: int, high: int) -> int:
    """Return a whole number within bounds; what is not a number is the default (routes.md)."""
    try:
        value = int(text) if text is not None else default
    except ValueError:
        value = default
    return min(high, max(low, value))


def instant(address: Mapping[str, str], name: str) -> str | None:
    """Return an instant as it is stored, None when none is named; raises Invalid for what is none."""
    return filters.instant(name, (address.get(name) or "").strip() or None)


def merged(model: type[Model], body: Model | None, address: Mapping[str, str]) -> Model:
    """Return what a request says in its body and, where that is silent, in its address."""
    said = body.model_dump(by_alias=True, exclude_unset=True) if body else {}
    return checked(model, {**address, **said})


def checked(model: type[Model], values: Mapping[str, object]) -> Model:
    """Return the parameters as a model; raises RequestValidationError, which is answered with 400."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [problem | {"loc": ("query", *problem["loc"])} for problem in error.errors()]
        raise RequestValidationError(problems) from error
