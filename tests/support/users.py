"""Requests by other users of this machine, in a child process with another user ID; only root can have one."""

import http.client
import json
import os
import socket
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from support.processes import PATIENCE_SECONDS

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
#: No user of the machine has it.
STRANGER = 54_321


def as_user(uid: int, do: Callable[[], Any]) -> Any:
    """Return what `do` returns, as JSON carries it, in a process of another user."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            found = {"found": do()}
        except BaseException as error:
            found = {"failed": f"{type(error).__name__}: {error}"}
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = json.loads(pipe.read())
    os.waitpid(child, 0)
    assert "failed" not in said, said["failed"]
    return said["found"]


def request(
    port: int,
    method: str,
    path: str,
    body: object = None,
    *,
    headers: Mapping[str, str] | None = None,
    host: str = "127.0.0.1",
) -> tuple[int, Any]:
    """Return status and JSON of an answer over TCP."""
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_SECONDS)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, dict(headers or {}))
        answer = connection.getresponse()
        return answer.status, _json(answer.read())
    finally:
        connection.close()


def over_socket(path: str, target: str) -> tuple[int, Any]:
    """Return status and JSON of an answer to GET over a Unix socket."""
    connection = http.client.HTTPConnection("localhost", timeout=PATIENCE_SECONDS)
    connection.sock = socket.socket(socket.AF_UNIX)
    try:
        connection.sock.connect(path)
        connection.request("GET", target)
        answer = connection.getresponse()
        return answer.status, _json(answer.read())
    finally:
        connection.close()


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return content.decode("utf-8", "replace")
