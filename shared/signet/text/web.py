"""Web addresses."""

from urllib.parse import urlsplit


def is_address(url: str) -> bool:
    """Return whether a text is an http or https URL with a host and a valid port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
