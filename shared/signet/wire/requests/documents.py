"""Adding documents and connectors."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

from signet.wire.requests.model import Body, spelled

#: Maximum nesting of metadata; deeper values can be read but not written again.
MAX_LEVELS = 32


def shallow(metadata: dict[str, object]) -> dict[str, object]:
    """Return an object that can be serialised; raises ValueError if it is nested too deeply."""
    level: list[object] = [metadata]
    for _ in range(MAX_LEVELS):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return metadata
    raise ValueError(f"more than {MAX_LEVELS} levels deep")


def _inside(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else []


class DocumentBody(Body):
    """One document to add."""

    source_type: str | None = spelled("source_type", "sourceType")
    content: str | None = None
    url: str | None = None
    title: str | None = None
    content_type: str | None = spelled("content_type", "contentType")
    connector_id: str | None = spelled("connector_id", "connectorId")
    metadata: Annotated[dict[str, object], AfterValidator(shallow)] | None = None
    agent_id: str | None = spelled("agentId", "agent_id")


class ConnectorBody(Body):
    """One connector to add; the provider defines its `settings`. `sync` starts the first sync at once."""

    provider: str | None = None
    display_name: str | None = spelled("displayName", "display_name")
    settings: Annotated[dict[str, object], AfterValidator(shallow)] | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
    sync: bool = False
