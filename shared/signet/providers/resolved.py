"""The worker's latest provider for each part of the pipeline, stored for the API."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.providers.registry import Resolution, TextSettings


class PipelinePart(StrEnum):
    """Parts of the pipeline that use a text provider."""

    EXTRACTION = "extraction"
    SYNTHESIS = "synthesis"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The provider in use for these settings, the reason, and since when."""

    provider: str
    model: str
    endpoint: str | None
    effective: str
    reason: str
    since: str

    def is_about(self, settings: TextSettings) -> bool:
        asked = (settings.provider, settings.model, settings.endpoint)
        return (self.provider, self.model, self.endpoint) == asked

    def says(self, settings: TextSettings, found: Resolution) -> bool:
        """Return whether settings and result are unchanged."""
        is_same = (self.effective, self.reason) == (found.effective, found.reason)
        return is_same and self.is_about(settings)


def keep(
    tx: WriteTx, part: PipelinePart, settings: TextSettings, found: Resolution, *, now: datetime
) -> None:
    resolved = Resolved(
        provider=settings.provider,
        model=settings.model,
        endpoint=settings.endpoint,
        effective=found.effective,
        reason=found.reason,
        since=clock.to_text(now),
    )
    runtime_settings.put(tx, _key(part), json.dumps(asdict(resolved)))


def read(tx: ReadTx, part: PipelinePart) -> Resolved | None:
    """Return the last result, None before the first."""
    text = runtime_settings.get(tx, _key(part))
    return None if text is None else Resolved(**json.loads(text))


def _key(part: PipelinePart) -> str:
    return f"resolved:{part}"
