"""Where the memory is stored: `storage.url`, the address of a PostgreSQL server; by default a file of the workspace."""

from urllib.parse import parse_qsl, urlsplit

from signet.config.values import Unfit

_SCHEMES = ("postgresql", "postgres")
_SAID = "postgresql://USER@HOST:PORT/NAME"


def storage_url(value: object, where: str, warnings: list[str]) -> object:
    """Read an address with a host (or a folder of a socket, `?host=`) and a database, without a password."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise Unfit(_SAID) from None
    asked = dict(parse_qsl(parts.query))
    if parts.scheme not in _SCHEMES:
        raise Unfit(f"an address that begins with postgresql://, such as {_SAID},")
    if parts.password is not None or "password" in asked:
        raise Unfit(f"an address without a password (write it in ~/.pgpass), such as {_SAID},")
    if not (parts.hostname or asked.get("host")):
        raise Unfit(
            f"an address with a host, or with the folder of a socket (?host=), such as {_SAID},"
        )
    if len(parts.path) < 2 or parts.fragment:
        raise Unfit(f"an address with the name of a database, such as {_SAID},")
    return text
