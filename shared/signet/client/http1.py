"""A call as the bytes of an HTTP request, and a reply from the bytes that came back. Pure: no socket is touched.

Each exchange has a connection of its own that the daemon closes (`Connection: close`): on loopback that costs a
fraction of a millisecond, and a call never meets a connection that the other side has closed meanwhile. So the end of
the bytes is the end of the reply, and the standard library's own parser sees whether it is whole.
"""

import io
import socket
from http import client
from typing import Any, cast
from urllib.parse import urlsplit

from signet.client.call import Call, Reply
from signet.client.errors import BadAnswer, ConnectionBroken
from signet.client.target import Target

#: Larger than any answer the daemon gives in one piece.
MAX_BYTES = 64 * 1024 * 1024


def request(target: Target, call: Call[Any]) -> bytes:
    """Return the bytes of a request."""
    address = urlsplit(target.url)
    connection = client.HTTPConnection(address.netloc)
    written = _Written()
    connection.sock = cast("socket.socket", written)
    more = {} if call.body is None else {"Content-Type": "application/json"}
    path = address.path.rstrip("/") + call.target
    headers = {name: value.encode() for name, value in {**target.headers, **more}.items()}
    connection.request(call.method, path, call.content, headers)
    return bytes(written.sent)


def reply(target: Target, call: Call[Any], received: bytes) -> Reply:
    """Return what the bytes of a connection say; raises ConnectionBroken for half a reply or another protocol."""
    if len(received) >= MAX_BYTES:
        raise BadAnswer(f"The answer is larger than {MAX_BYTES} bytes")
    read = client.HTTPResponse(cast("socket.socket", _Received(received)), method=call.method)
    try:
        read.begin()
        body = read.read()
    except (client.HTTPException, ConnectionError) as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error!r}") from error
    headers = {name.lower(): value for name, value in read.getheaders()}
    return Reply(status=read.status, headers=headers, body=body)


class _Written:
    """What an HTTP connection takes for its socket when it writes."""

    def __init__(self) -> None:
        self.sent = bytearray()

    def sendall(self, data: bytes) -> None:
        self.sent += data


class _Received:
    """What a response takes for its socket when it reads."""

    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, _: str) -> io.BytesIO:
        return io.BytesIO(self._received)
