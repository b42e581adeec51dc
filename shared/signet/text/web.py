"""Addresses of the web."""

from urllib.parse import urlsplit


def is_address(url: str) -> bool:
    """Return whether a text is an http or https address, with a host and no port that cannot be one."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
