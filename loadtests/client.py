"""A cheap load client: one process, one selector, raw HTTP/1.1 over persistent connections.

    python -m loadtests.client '{"port": 3850, "path": "/health", "kind": "get", "seconds": 5, "every": 0.05}'

With `every` each connection sends one request per interval, otherwise the next one after each answer. Prints one JSON
object, see `Tally`. It includes its own processor time, because it shares the machine.
"""

import argparse
import itertools
import json
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from loadtests import measure
from loadtests.corpus import Corpus

ROOT = Path(__file__).parent.parent


@dataclass(slots=True)
class Tally:
    """Results: milliseconds of every answer, answers by status, total seconds."""

    latencies_ms: list[float] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def per_second(self) -> float:
        """Return answers with status 200 per second."""
        return self.statuses.get("200", 0) / self.seconds

    def at(self, percent: float) -> float:
        """Return a percentile of the answer times in ms."""
        return measure.percentile(self.latencies_ms, percent)


class Connection:
    """One keep-alive connection and its current request."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent_at = 0.0
        self.next_at = 0.0
        self._received = b""

    def send(self, request: bytes) -> None:
        """Send a request; it is small enough for the kernel to accept at once."""
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> str | None:
        """Read available data; return the status when the answer is complete."""
        chunk = self.socket.recv(65_536)
        if not chunk:
            raise ConnectionResetError("the server closed the connection")
        self._received += chunk
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return None
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return None
        self._received = b""
        return head[9:12].decode()


def drive(
    port: int, requests: Iterator[bytes], *, clients: int, seconds: float, every: float
) -> Tally:
    """Send requests from `clients` connections for `seconds` and return the results."""
    selector = selectors.DefaultSelector()
    tally = Tally()
    connections = [Connection(port) for _ in range(clients)]
    cpu, began = time.process_time(), time.perf_counter()
    resting = set(connections)
    for connection in connections:
        connection.next_at = began
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    until, now = began + seconds, began
    while now < until or len(resting) < clients:
        if now < until:
            for connection in [one for one in resting if one.next_at <= now]:
                resting.discard(connection)
                connection.next_at = max(connection.next_at + every, now)
                connection.send(next(requests))
        wake = min((one.next_at for one in resting), default=until)
        for key, _ in selector.select(
            max(min(wake, until) - time.perf_counter(), 0) if now < until else 1
        ):
            connection = key.data
            status = connection.receive()
            if status is None:
                continue
            tally.latencies_ms.append((time.perf_counter() - connection.sent_at) * 1000)
            tally.statuses[status] = tally.statuses.get(status, 0) + 1
            if not every and time.perf_counter() < until:
                connection.send(next(requests))
            else:
                resting.add(connection)
        now = time.perf_counter()
    tally.seconds, tally.cpu_seconds = now - began, time.process_time() - cpu
    return tally


def requests(path: str, kind: str, corpus: Corpus, file: str, actor: str = "") -> Iterator[bytes]:
    """Yield requests for a path; with bodies from a file if one is named."""
    if kind == "get":
        while True:
            yield f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    bodies = corpus.remember_bodies() if kind == "remember" else corpus.recall_bodies()
    if file:
        bodies = itertools.cycle(Path(file).read_bytes().splitlines())
    named = f"X-Signet-Actor: {actor}\r\n" if actor else ""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{named}Content-Type: application/json\r\nContent-Length: "
    for body in bodies:
        yield b"%s%d\r\n\r\n%s" % (head.encode(), len(body), body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The load of one client process. `kind` is remember, recall or get; `name` keeps its texts unique.

    `bodies` names a file with one body per line, sent in turn instead.
    """

    port: int
    path: str
    kind: str
    seconds: float
    clients: int = 1
    every: float = 0.0
    seed: int = 1
    name: str = "a"
    bodies: str = ""
    #: The actor in analytics.
    actor: str = ""

    def start(self) -> "subprocess.Popen[bytes]":
        """Start a client process; pass it to `collect` later."""
        return subprocess.Popen(
            [sys.executable, "-m", "loadtests.client", json.dumps(asdict(self))],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )

    def run(self) -> Tally:
        """Send everything and return the results."""
        return collect(self.start())


def collect(client: "subprocess.Popen[bytes]") -> Tally:
    """Wait for a client to end and return its tally."""
    output, _ = client.communicate()
    if client.returncode != 0:
        raise RuntimeError(f"the client ended with {client.returncode}")
    return Tally(**json.loads(output))


def main() -> int:
    """Run as one client process."""
    parser = argparse.ArgumentParser(prog="loadtests.client")
    parser.add_argument("load", type=json.loads)
    load = Load(**parser.parse_args().load)
    tally = drive(
        load.port,
        requests(load.path, load.kind, Corpus(load.seed, load.name), load.bodies, load.actor),
        clients=load.clients,
        seconds=load.seconds,
        every=load.every,
    )
    sys.stdout.write(json.dumps(asdict(tally)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
