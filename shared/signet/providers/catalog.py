"""List the models of each provider: known names, and those of a local Ollama server.

`models.json` next to this file lists names that were public at release; `deprecated` marks those replaced by a newer
one of the same family. It only helps people choose: any other name may be configured.
"""

import json
from collections.abc import Mapping, Sequence
from importlib import resources

from signet.net.http import is_loopback
from signet.providers.ollama import installed
from signet.providers.registry import AUTO, OLLAMA, TextSettings
from signet.wire.pipeline import OfferedModel


def shipped() -> dict[str, tuple[OfferedModel, ...]]:
    text = resources.files("signet.providers").joinpath("models.json").read_text("utf-8")
    rows: Mapping[str, Sequence[Mapping[str, object]]] = json.loads(text)
    return {
        provider: tuple(
            OfferedModel(
                id=str(row["id"]),
                provider=provider,
                label=str(row["label"]),
                tier=str(row["tier"]),
                deprecated=row.get("deprecated") is True,
            )
            for row in models
        )
        for provider, models in rows.items()
    }


def ollama_url(settings: TextSettings) -> str | None:
    """Return the configured Ollama server; None if that would contact a server the user did not name.

    `auto` uses only a server on this machine.
    """
    url = settings.endpoint or settings.ollama_url
    if settings.provider == OLLAMA or (settings.provider == AUTO and is_loopback(url)):
        return url
    return None


def ask(url: str) -> tuple[OfferedModel, ...]:
    """Return the models of an Ollama server; raises ProviderDown or ProviderFailed."""
    return tuple(
        OfferedModel(id=name, provider=OLLAMA, label=name, tier="low", deprecated=False)
        for name in installed(url)
    )


def merged(
    known: Sequence[OfferedModel], found: Sequence[OfferedModel]
) -> tuple[OfferedModel, ...]:
    """Return the found models, followed by known ones that were not found."""
    names = {one["id"] for one in found}
    return (*found, *(one for one in known if one["id"] not in names))
