"""The queues to compare with, and how to start one side of each.

Huey and dramatiq with Redis are not dependencies of the product: they run in the Python named by `--peers`. Redis is
the `redis-server` on the path, started on a free loopback port with `appendfsync always`. A missing peer is skipped
with a message.
"""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadtests.postgres_server import Server

from signet import clock, engine
from signet.db import migrate
from signet.paths import Workspace

#: The peers on a PostgreSQL server, and their modules.
SERVER_PEERS = {"procrastinate": "procrastinate", "pgqueuer": "pgqueuer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A queue: its program, its Python, and how to create an empty place for its jobs."""

    name: str
    program: str
    python: str
    fresh: Callable[[], str]

    def start(self, side: str, place: str, count: int, pause: float = 0.0) -> "Side":
        """Start one side; return when a worker is ready."""
        process = subprocess.Popen(
            [
                self.python,
                "-m",
                f"loadtests.contenders.{self.program}",
                side,
                place,
                str(count),
                str(pause),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if side == "send" else subprocess.DEVNULL,
        )
        started = Side(process)
        if side == "work":
            started.await_ready()
        return started


class Side:
    """A process that sends or runs jobs."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def await_ready(self) -> None:
        """Wait until the worker's threads run."""
        assert self.process.stdout is not None
        if self.process.stdout.readline().strip() != b"ready":
            raise RuntimeError(f"a worker did not start: {self.process.args!r}")

    def result(self) -> dict[str, Any]:
        """Wait for the end and return the results."""
        output, errors = self.process.communicate()
        if self.process.returncode != 0:
            raise RuntimeError(f"{self.process.args!r}: {(errors or b'').decode()[-500:]}")
        found: dict[str, Any] = json.loads(output)
        return found


@contextlib.contextmanager
def contenders(folder: Path, peers_python: str) -> Iterator[tuple[list[Contender], list[str]]]:
    """Yield ours and every installed peer, and a message for each missing one."""
    found = [
        Contender(
            name="ours", program="ours", python=sys.executable, fresh=_fresh_workspace(folder)
        )
    ]
    missing = []
    with contextlib.ExitStack() as stack:
        if has(peers_python, "huey"):
            fresh = _fresh_folder(folder)
            found.append(
                Contender(name="huey", program="huey_sqlite", python=peers_python, fresh=fresh)
            )
        else:
            missing.append(f"Huey skipped: {peers_python} has no huey (pip install huey)")
        if shutil.which("redis-server") is None:
            missing.append("dramatiq on Redis skipped: no redis-server on the path")
        elif not has(peers_python, "dramatiq", "redis"):
            missing.append(f"dramatiq on Redis skipped: {peers_python} has no dramatiq[redis]")
        else:
            fresh = stack.enter_context(_redis(folder))
            found.append(
                Contender(name="redis", program="dramatiq_redis", python=peers_python, fresh=fresh)
            )
        yield found, missing


def server_contenders(
    server: Server, folder: Path, peers_python: str
) -> tuple[list[Contender], list[str]]:
    """Return ours and every peer on a PostgreSQL server, each place a new database, and a message for missing ones.

    A Python without the peers gets help of a new environment in the folder.
    """
    python = peers_python if has(peers_python, *SERVER_PEERS.values()) else _environment(folder)
    ours = _fresh_workspace(folder, server.database)
    found = [Contender(name="ours", program="ours", python=sys.executable, fresh=ours)]
    missing = []
    for name, module in SERVER_PEERS.items():
        if python is not None and has(python, module):
            program = f"{module}_postgres"
            found.append(
                Contender(name=name, program=program, python=python, fresh=server.database)
            )
        else:
            missing.append(f"{name} skipped: it could not be installed from the registry")
    return found, missing


def _environment(folder: Path) -> str | None:
    """Install the peers of a PostgreSQL server in a new environment; return its Python, None if that fails."""
    place = folder / "peers"
    python = str(place / "bin" / "python")
    packages = [*SERVER_PEERS.values(), "asyncpg", "psycopg[binary,pool]"]
    for command in (
        [sys.executable, "-m", "venv", str(place)],
        [python, "-m", "pip", "install", "-q", *packages],
    ):
        if subprocess.run(command, capture_output=True).returncode:
            return None
    return python


def has(python: str, *modules: str) -> bool:
    """Return whether a Python has modules."""
    command = [python, "-c", f"import {', '.join(modules)}"]
    return (
        shutil.which(python) is not None
        and subprocess.run(command, capture_output=True).returncode == 0
    )


def _numbered(folder: Path, name: str) -> Path:
    return folder / f"{name}{sum(1 for _ in folder.glob(f'{name}*'))}"


def _fresh_workspace(folder: Path, database: Callable[[], str] | None = None) -> Callable[[], str]:
    def fresh() -> str:
        workspace = Workspace(_numbered(folder, "ours"))
        workspace.make()
        if database is not None:
            url = database()
            engine.use(workspace.database, url)
            (workspace.root / "agent.yaml").write_text(f"storage: {{url: '{url}'}}\n")
        migrate.upgrade(workspace.database, now=clock.now())
        return str(workspace.root)

    return fresh


def _fresh_folder(folder: Path) -> Callable[[], str]:
    def fresh() -> str:
        place = _numbered(folder, "huey")
        place.mkdir()
        return str(place)

    return fresh


@contextlib.contextmanager
def _redis(folder: Path) -> Iterator[Callable[[], str]]:
    """Run a Redis that syncs its log at every write; each new place is a flushed database."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    place = folder / "redis"
    place.mkdir()
    settings = "--bind 127.0.0.1 --appendonly yes --appendfsync always --save".split()
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--dir", str(place), *settings, ""],
        stdout=subprocess.DEVNULL,
    )

    def fresh() -> str:
        _ask_redis(port, b"FLUSHALL\r\n")
        return f"redis://127.0.0.1:{port}/0"

    try:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                _ask_redis(port, b"PING\r\n")
                break
            time.sleep(0.05)
        yield fresh
    finally:
        server.terminate()
        server.wait()


def _ask_redis(port: int, command: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(command)
        return connection.recv(256)
