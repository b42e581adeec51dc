"""Where the memory is stored: `storage.url`, the address of a PostgreSQL server; by default a file of the workspace."""

from urllib.parse import parse_qsl, urlsplit

from signet.config.fields import SettingsSection, section, setting
from signet.config.values import Unfit

_SCHEMES = ("postgresql", "postgres")
_SAID = "postgresql://USER@HOST:PORT/NAME, with the password in PGPASSWORD or ~/.pgpass,"


def storage_url(value: object, where: str, warnings: list[str]) -> object:
    """Read an address with a host (or a folder of a socket, `?host=`) and a database, without a password."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise Unfit(_SAID) from None
    asked = dict(parse_qsl(parts.query))
    has_place = (
        bool(parts.hostname or asked.get("host")) and len(parts.path) > 1 and not parts.fragment
    )
    has_password = parts.password is not None or "password" in asked
    if parts.scheme not in _SCHEMES or not has_place or has_password:
        raise Unfit(_SAID)
    return text


@section
class StorageSettings(SettingsSection):
    """The engine of the database."""

    #: None: the file `memory/memories.db`.
    url: str | None = setting(None, accept=storage_url)
