"""Registering a connector."""

from typing import Annotated

from pydantic import AfterValidator

from signet.wire.requests.documents import shallow
from signet.wire.requests.model import Body, spelled


class ConnectorBody(Body):
    """One connector; what `settings` says depends on the provider."""

    provider: str | None = None
    display_name: str | None = spelled("displayName", "display_name")
    settings: Annotated[dict[str, object], AfterValidator(shallow)] | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
