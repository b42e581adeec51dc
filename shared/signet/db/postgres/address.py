"""The address of a PostgreSQL server, and what a person can do about its refusal."""

import getpass
import os
from contextlib import suppress
from urllib.parse import parse_qsl, unquote, urlsplit


def shown(url: str) -> str:
    """Return an address for people and logs: without its user and parameters, but with the folder of its socket."""
    parts = urlsplit(url)
    folder = dict(parse_qsl(parts.query)).get("host", "")
    place = f"?host={folder}" if folder and not parts.hostname else ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}{place}"


def name_of(url: str) -> str:
    """Return the name of the database."""
    return unquote(urlsplit(url).path[1:])


def role_of(url: str) -> str:
    """Return the role that connects."""
    named = unquote(urlsplit(url).username or "") or os.environ.get("PGUSER", "")
    with suppress(KeyError, OSError):  # the user has no name
        named = named or getpass.getuser()
    return named or "ROLE"


def password_fault(url: str, said: str) -> str | None:
    """Return what to do if a server says that the password is missing or wrong, else None."""
    if "no password supplied" in said:
        wrong = "asks for a password"
    elif "password authentication failed" in said:
        wrong = "refuses the password"
    else:
        return None
    role = role_of(url)
    return (
        f"{shown(url)} {wrong} of {role}. Write it in ~/.pgpass (chmod 600) as"
        f" HOST:PORT:{name_of(url)}:{role}:PASSWORD. PGPASSWORD is only for the program that has it"
    )
