"""One PostgreSQL server for all processes of a test run, and a new database for each test.

The first test that needs the server starts it. It ends with the run (`postgres_server.py`).
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import psycopg

from support.database import RUN

SERVER = Path(__file__).with_name("postgres_server.py")
TEMPLATE = "template_signet"
#: The owner of all databases: an ordinary role, because policies of rows do not apply to a superuser.
ROLE, SUPERUSER = "signet", "postgres"
_numbers = count()


@cache
def server() -> str:
    """Return the folder of the server's socket, after starting the server if no process of this run has."""
    # Short, because a path of a socket has at most 107 bytes.
    folder = Path(os.environ["PYTEST_DEBUG_TEMPROOT"]) / f"signet-pg-{os.environ[RUN]}"
    with _locked(folder.with_suffix(".lock")):
        if not folder.exists():
            folder.mkdir(mode=0o755)
            _start(folder)
            with psycopg.connect(f"postgresql://{SUPERUSER}@/postgres?host={folder}") as connection:
                connection.execute(f"CREATE ROLE {ROLE} LOGIN")
    return str(folder)


def address(name: str, role: str = ROLE) -> str:
    """Return the address of a database of the server."""
    return f"postgresql://{role}@/{name}?host={server()}"


def empty() -> str:
    """Make a database without tables; return its address."""
    return _make("template0")


def clone(fill: Callable[[str], object]) -> str:
    """Make a database as `fill` left the one whose address it got, at the first call in a run; return its address."""
    with _locked(Path(server()).with_suffix(".lock")), _connected() as connection:
        has = "SELECT 1 FROM pg_database WHERE datname = %s AND datistemplate"
        if connection.execute(has, (TEMPLATE,)).fetchone() is None:
            connection.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")
            connection.execute(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0 OWNER {ROLE}")
            fill(address(TEMPLATE))
            connection.execute(f"ALTER DATABASE {TEMPLATE} IS_TEMPLATE true")
    return _make(TEMPLATE)


def copy(url: str) -> str:
    """Make a database with all that is in another one, to which nothing is connected; return its address."""
    return _make(name_of(url))


def drop(url: str) -> None:
    """Remove a database, and end the connections that are still open to it."""
    with _connected() as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name_of(url)}" WITH (FORCE)')


def name_of(url: str) -> str:
    """Return the name of the database at an address of ours."""
    return url.partition("@/")[2].partition("?")[0]


def _make(template: str) -> str:
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with _connected() as connection:
        connection.execute(
            f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY OWNER {ROLE}"
        )
    return address(name)


@contextmanager
def _connected() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(address("postgres", SUPERUSER), autocommit=True) as connection:
        yield connection


def _start(folder: Path) -> None:
    started = subprocess.Popen(
        [sys.executable, str(SERVER), str(folder), os.environ[RUN]],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert started.stdout is not None
    with started.stdout:
        assert started.stdout.readline() == "ready\n", "the PostgreSQL server did not start"
    started.returncode = 0  # it ends after this process


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
