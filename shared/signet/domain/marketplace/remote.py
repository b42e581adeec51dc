"""A server that is reached over HTTP: each message is a POST, answered by JSON or by a stream of events.

It goes to the address that the user has named and nowhere else: a redirect is followed only on the same host, and the
headers, which may hold a key, go nowhere else either.
"""

import threading
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from urllib.parse import urljoin, urlsplit

from signet.domain.marketplace import rpc
from signet.domain.marketplace.models import Remote, ServerFailed
from signet.domain.marketplace.rpc import Gone, Late, Message
from signet.net.http import Client, HttpError, Reply, TimedOut, Unreachable

#: How long a server is given to take a notification, or to hear that we are gone.
TELL_SECONDS = 5.0
_ACCEPTED = "application/json, text/event-stream"
_REDIRECTS = (307, 308)
_SESSION = "mcp-session-id"
_SAID_CHARS = 300


class RemoteWire:
    """Speaks with a server at an address."""

    def __init__(self, remote: Remote, headers: Mapping[str, str]) -> None:
        parts = urlsplit(remote.url)
        self._base = f"{parts.scheme}://{parts.netloc}"
        self._path = remote.url[len(self._base) :] or "/"
        self._headers = {**headers, "accept": _ACCEPTED}
        self._ids = count(1)
        self._session: str | None = None
        self._client = self._with({})
        self._is_open = True

    @property
    def is_open(self) -> bool:
        """Return whether the server has not forgotten us and was not let go."""
        return self._is_open

    def ask(self, method: str, params: Mapping[str, object], seconds: float) -> Message:
        """Return the result of a request."""
        id_ = next(self._ids)
        events = Events(id_)
        reply = self._send(rpc.request(id_, method, params), seconds, events)
        if method == "initialize":
            self._session = reply.headers.get(_SESSION)
        if reply.headers.get("content-type", "").startswith("text/event-stream"):
            found = events.found
        else:
            found = rpc.read(reply.body)
        if found is None:
            raise ServerFailed("the connection ended before the answer came")
        return rpc.result_of(found)

    def tell(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification."""
        with suppress(ServerFailed):
            self._send(rpc.notification(method, params), TELL_SECONDS, None)

    def agree(self, version: str) -> None:
        """Name the version, and the session that the server gave us, in every later message."""
        named = {"mcp-protocol-version": version}
        self._client.close()
        self._client = self._with(named | ({_SESSION: self._session} if self._session else {}))

    def close(self) -> None:
        """Tell the server that its session is over, without waiting for that."""
        was_open, self._is_open = self._is_open, False
        if was_open:
            threading.Thread(target=self._leave, name="tool-server-end", daemon=True).start()

    def _leave(self) -> None:
        if self._session:
            with suppress(HttpError):
                self._client.send("DELETE", self._path, timeout_seconds=TELL_SECONDS)
        self._client.close()

    def _with(self, headers: Mapping[str, str]) -> Client:
        return Client(
            self._base,
            headers={**self._headers, **headers},
            max_body_bytes=rpc.MAX_MESSAGE_BYTES,
        )

    def _send(self, message: Message, seconds: float, events: "Events | None") -> Reply:
        reply = self._exchanged(message, seconds, events)
        if reply.status in _REDIRECTS:
            self._path = self._moved(reply.headers.get("location", ""))
            reply = self._exchanged(message, seconds, events)
        if reply.status == 404 and self._session is not None:
            self._is_open = False
            raise Gone("it has lost the session")
        if not 200 <= reply.status < 300:
            raise ServerFailed(_refusal(reply))
        return reply

    def _exchanged(self, message: Message, seconds: float, events: "Events | None") -> Reply:
        if not self._is_open:
            raise Gone("the connection was closed")
        try:
            return self._client.send(
                "POST",
                self._path,
                json=message,
                timeout_seconds=seconds,
                until=events.feed if events else None,
            )
        except TimedOut as error:
            raise Late("no answer in time") from error
        except Unreachable as error:
            raise Gone(error.message) from error
        except HttpError as error:
            raise ServerFailed(error.message) from error

    def _moved(self, location: str) -> str:
        """Return the path of a redirect on the same host; raises ServerFailed for another one."""
        try:
            target = urlsplit(urljoin(self._base + self._path, location))
        except ValueError:
            target = urlsplit("")
        if not location or f"{target.scheme}://{target.netloc}" != self._base:
            raise ServerFailed("it redirects to another host, which is not followed")
        return f"{target.path}?{target.query}" if target.query else target.path


class Events:
    """Reads a stream of server-sent events until the reply to one request has come."""

    def __init__(self, id_: int) -> None:
        self._id = id_
        self._line = bytearray()
        self._data: list[bytes] = []
        self.found: Message | None = None

    def feed(self, some: bytes) -> bool:
        """Take a part of the stream; return whether the reply is there."""
        first, *others = some.split(b"\n")
        self._line += first
        for other in others:
            self._take(bytes(self._line).rstrip(b"\r"))
            self._line = bytearray(other)
        return self.found is not None

    def _take(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        if line:
            return
        message = rpc.read(b"\n".join(self._data)) if self._data else None
        self._data = []
        if message is not None and "method" not in message and message.get("id") == self._id:
            self.found = message


def _refusal(reply: Reply) -> str:
    if reply.status in (401, 403):
        return f"it answered {reply.status}: it requires authentication; set a header in its config"
    said = rpc.read(reply.body)
    error = said.get("error") if said else reply.body.decode("utf-8", "replace")
    words = error.get("message") if isinstance(error, dict) else error
    told = " ".join(str(words or "").split())[:_SAID_CHARS]
    return f"it answered {reply.status}" + (f": {told}" if told else "")
