"""Create the schema on a PostgreSQL server, once, and read its revision."""

from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql

from signet import clock
from signet.db.postgres import tables
from signet.db.postgres.address import name_of, password_fault, role_of, shown
from signet.db.postgres.connection import raw
from signet.errors import StorageBusy

#: Collation `pg_c_utf8` is as old.
LEAST_VERSION = 170_000
_LOCK = "SELECT pg_advisory_xact_lock(7391, 2)"
_NOTE = "SELECT obj_description(to_regclass('signet_schema_version'), 'pg_class')"
_BARRIER = "SELECT 1 FROM pg_policy WHERE polrelid = to_regclass('memories')"
_MADE = """
SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace
UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
UNION ALL SELECT tgname FROM pg_trigger
UNION ALL SELECT table_name || '.' || column_name FROM information_schema.columns
 WHERE table_schema = current_schema()"""
_EXISTS = "SELECT to_regclass('signet_schema_version') IS NOT NULL"

Raw = psycopg.Connection[tuple[Any, ...]]


class ServerUnfit(StorageBusy, code="server_unfit"):
    """The PostgreSQL server cannot be used."""


def opened(url: str) -> Raw:
    """Open a connection; raises ServerUnfit."""
    try:
        return raw(url)
    except psycopg.Error as error:
        told = (
            password_fault(url, str(error)) or f"{shown(url)} does not answer: {str(error).strip()}"
        )
        raise ServerUnfit(told) from error


def current(url: str) -> str | None:
    """Return the revision of the schema, None for an empty database; raises ServerUnfit."""
    with closing(opened(url)) as connection:
        return _revision(connection)


def _revision(connection: Raw) -> str | None:
    found = connection.execute(_EXISTS).fetchone()
    if not found or not found[0]:
        return None
    row = connection.execute("SELECT version_num FROM signet_schema_version").fetchone()
    return None if row is None else str(row[0])


def upgrade(
    url: str, revisions: Sequence[str], script: Callable[[str], str], now: datetime
) -> str | None:
    """Create the schema if the database is empty, else run the scripts of later revisions; return the one before.

    All of it is one transaction. A database of an unknown revision stays unchanged. Raises ServerUnfit, also for a
    database that an earlier build of a revision made.
    """
    with closing(opened(url)) as connection:
        check(connection, url)
        try:
            with connection.transaction():
                connection.execute(_LOCK)
                before = _revision(connection)
                if before is None:
                    create(connection, revisions[-1])
                    connection.execute(tables.FIRST_ROWS, {"at": clock.to_text(now)})
                later = revisions[revisions.index(before) + 1 :] if before in revisions else ()
                for one in later:
                    connection.execute(script(one).encode())
                    connection.execute("UPDATE signet_schema_version SET version_num = %s", (one,))
                if connection.execute(_BARRIER).fetchone() is None:  # made before there was one
                    connection.execute(tables.BARRIER)
                if before in revisions:
                    _check_made(connection, url)
        except psycopg.Error as error:
            raise ServerUnfit(f"{shown(url)} refused the schema: {str(error).strip()}") from error
    return before


def _check_made(connection: Raw, url: str) -> None:
    """Raise ServerUnfit if something is missing that the statements of this program need."""
    found = {name for (name,) in connection.execute(_MADE)}
    if lacking := [name for name in tables.made() if name not in found]:
        raise ServerUnfit(
            f"{shown(url)} was made by an earlier build of Signet and lacks {', '.join(lacking[:3])}. Nothing is lost."
            " Copy it to a file, and from there to a new database: signet storage move file, then"
            " signet storage move ADDRESS"
        )


def check(connection: Raw, url: str) -> None:
    """Raise ServerUnfit for a version or an encoding that does not do."""
    if connection.info.server_version < LEAST_VERSION:
        raise ServerUnfit(f"{shown(url)} is older than PostgreSQL 17")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise ServerUnfit(
            f"{shown(url)} has the encoding {encoding}; create the database with UTF8"
        )
    right = "has_schema_privilege(current_schema(), 'CREATE')"
    found = connection.execute(
        f"SELECT {_EXISTS[7:]} OR coalesce({right}, false)".encode()
    ).fetchone()
    if not (found and found[0]):
        raise ServerUnfit(
            f"{shown(url)} refuses the role {role_of(url)} the right CREATE in its schema. Make the role the owner of"
            f' the database; as its owner or a superuser: ALTER DATABASE "{name_of(url)}" OWNER TO "{role_of(url)}"'
        )


def note(connection: Raw) -> str:
    """Return the note of a database, which is no row and is never copied; empty for none."""
    found = connection.execute(_NOTE).fetchone()
    return str(found[0] or "") if found else ""


def set_note(connection: Raw, text: str | None) -> None:
    """Write the note of a database, or remove it."""
    connection.execute(
        sql.SQL("COMMENT ON TABLE signet_schema_version IS {}").format(sql.Literal(text))
    )


def create(connection: Raw, head: str) -> None:
    """Create all tables in an empty database, without rows, in the transaction of the caller."""
    connection.execute(tables.schema().encode())
    connection.execute(tables.BARRIER)
    connection.execute("CREATE TABLE signet_schema_version (version_num TEXT PRIMARY KEY)")
    connection.execute("INSERT INTO signet_schema_version VALUES (%s)", (head,))
