"""Ports for the servers of tests.

A port that the kernel chose is one that it also gives to whoever calls somebody, before the server listens on it.
"""

import itertools
import os
import socket
from collections.abc import Iterator

#: Below what the kernel gives to callers (`ip_local_port_range` begins at 32,768), above what is well known.
FIRST, EACH, PROCESSES = 20_000, 200, 60


def free_port() -> int:
    """Return a port that nobody uses, that no caller is given, and that no other test is told."""
    return next(port for port in _PORTS if _is_free(port))


def _of_this_process() -> Iterator[int]:
    # The workers of one pytest-xdist have one parent, and numbers from 0.
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    number = os.getppid() + int(worker) if worker else os.getpid()
    first = FIRST + number % PROCESSES * EACH
    return itertools.cycle(range(first, first + EACH))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


_PORTS = _of_this_process()
