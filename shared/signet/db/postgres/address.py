"""The address of a PostgreSQL server, for people."""

from urllib.parse import urlsplit


def shown(url: str) -> str:
    """Return an address without its user and parameters, for people and logs."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
