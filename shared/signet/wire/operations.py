"""All operations that are declared."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from signet.wire import (
    agents,
    analytics,
    auth,
    config,
    connectors,
    diagnostics,
    documents,
    embeddings,
    git,
    harnesses,
    home,
    hooks,
    jobs,
    knowledge,
    logs,
    memory,
    pipeline,
    recall,
    repair,
    secrets,
    sessions,
    skills,
    status,
    synthesis,
    tasks,
    telemetry,
    transfer,
    update,
)
from signet.wire.operation import Operation

#: One module for each family; its name is the family's in OpenAPI.
FAMILIES: tuple[ModuleType, ...] = (
    memory,
    recall,
    jobs,
    agents,
    auth,
    status,
    home,
    diagnostics,
    pipeline,
    analytics,
    telemetry,
    logs,
    sessions,
    hooks,
    documents,
    connectors,
    transfer,
    embeddings,
    synthesis,
    harnesses,
    config,
    git,
    update,
    secrets,
    tasks,
    skills,
    knowledge,
    repair,
)

#: Every operation by its id in OpenAPI, which is its name in lower case.
BY_ID: Mapping[str, Operation[Any]] = {
    name.lower(): value
    for family in FAMILIES
    for name, value in vars(family).items()
    if isinstance(value, Operation)
}

_IDS = {operation: id for id, operation in BY_ID.items()}
_FAMILIES = {
    value: family.__name__.rpartition(".")[2]
    for family in FAMILIES
    for value in vars(family).values()
    if isinstance(value, Operation)
}


def id_of(operation: Operation[Any]) -> str:
    """Return the id of an operation in OpenAPI."""
    return _IDS[operation]


def family_of(operation: Operation[Any]) -> str:
    """Return the name of the family of an operation."""
    return _FAMILIES[operation]
