"""All declared operations, collected from this package's modules; each module is a family in OpenAPI."""

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from signet import wire
from signet.wire.operation import Operation

_FAMILIES: Mapping[Operation[Any], tuple[str, str]] = {
    value: (module.name, name.lower())
    for module in pkgutil.iter_modules(wire.__path__)
    if not module.ispkg
    for name, value in vars(import_module(f"{wire.__name__}.{module.name}")).items()
    if isinstance(value, Operation)
}

#: Every operation by its OpenAPI ID, its lower-case name.
BY_ID: Mapping[str, Operation[Any]] = {id: one for one, (_, id) in _FAMILIES.items()}


def id_of(operation: Operation[Any]) -> str:
    return _FAMILIES[operation][1]


def family_of(operation: Operation[Any]) -> str:
    return _FAMILIES[operation][0]
