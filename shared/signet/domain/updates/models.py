"""What a package index says."""

from dataclasses import dataclass

from signet.net.http import HttpError


class IndexFailed(HttpError):
    """The package index did not list the available versions."""

    code = "index_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The newest version; None when the index has none that fits."""

    version: str | None
    url: str | None = None
    published_at: str | None = None
