"""Encode a call as an HTTP request, and decode the reply. Pure: uses no socket.

Each exchange has a separate connection, which the daemon closes (`Connection: close`): on loopback that costs a
fraction of a millisecond, and a call never meets a closed connection. So the end of the bytes is the end of the
reply, and its length (RFC 9112 §6.3) shows whether it is complete.

The standard library's parser reads headers as mail; importing that takes longer than a hook's whole exchange.
"""

import re
import time
from typing import Any
from urllib.parse import urlsplit

from signet.client.call import Call, RawReply
from signet.client.errors import BadAnswer, ConnectionBroken, foreign
from signet.client.target import CallTarget

#: Larger than any single answer of the daemon.
MAX_BYTES = 64 * 1024 * 1024

#: Every answer of a daemon has this header.
_OURS = "x-signet-request-id"
_PROTOCOL = b"HTTP/"
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([2-5][0-9]{2})(?: [^\r\n]*)?")
_LENGTH = re.compile(rb"[0-9]{1,15}")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(?:;.*)?")


class Malformed(ValueError):
    """Not an HTTP reply, or an incomplete one."""


def request(target: CallTarget, call: Call[Any]) -> bytes:
    address, content = urlsplit(target.url), call.content
    headers = {"Host": address.netloc.rpartition("@")[2], **target.headers}
    if content is not None:
        headers["Content-Type"] = "application/json"
        headers["X-Signet-Sent-At"] = _now()
    if content is not None or call.method != "GET":
        headers["Content-Length"] = str(len(content or b""))
    lines = [f"{call.method} {address.path.rstrip('/')}{call.target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + (content or b"")


def _now() -> str:
    """Return the current instant; loading `datetime` for it takes a hook 2 ms."""
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03}Z"


def reply(target: CallTarget, call: Call[Any], received: bytes) -> RawReply:
    """Decode the bytes of a connection.

    Raises ConnectionBroken for an incomplete reply, and BadAnswer for one of another program or protocol.
    """
    if len(received) >= MAX_BYTES:
        raise BadAnswer(f"The answer is larger than {MAX_BYTES} bytes")
    if not _PROTOCOL.startswith(received[: len(_PROTOCOL)]):
        raise foreign(target.url)
    try:
        status, headers, rest = _parted(received)
        body = _body(headers, rest)
    except Malformed as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error}") from error
    if _OURS not in headers and (target.only_signet or not body.lstrip().startswith(b"{")):
        raise foreign(target.url)
    return RawReply(status=status, headers=headers, body=body)


def whole(received: bytes) -> RawReply | None:
    """Decode a reply on a connection that stays open; None while it is incomplete.

    Raises Malformed for anything except one reply with a stated length.
    """
    if not _PROTOCOL.startswith(received[: len(_PROTOCOL)]):
        raise Malformed("it sent no HTTP reply")
    if b"\r\n\r\n" not in received:
        return None
    status, headers, rest = _parted(received)
    length = headers.get("content-length", "")
    if not _LENGTH.fullmatch(length.encode()) or len(rest) > int(length):
        raise Malformed("it sent a reply of the wrong length")
    return RawReply(status, headers, rest) if len(rest) == int(length) else None


def _parted(received: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers by lower-case name, and the rest."""
    head, gap, rest = received.partition(b"\r\n\r\n")
    line, *lines = head.split(b"\r\n")
    found = _STATUS_LINE.fullmatch(line)
    if not gap or found is None:
        raise Malformed("it sent no HTTP reply" if received else "it sent nothing")
    headers: dict[str, str] = {}
    for each in lines:
        name, colon, value = each.decode("latin-1").partition(":")
        if not colon or not name or name != name.strip():
            raise Malformed("it sent an invalid header line")
        headers[name.lower()] = value.strip()
    return int(found[1]), headers, rest


def _body(headers: dict[str, str], rest: bytes) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return _unchunked(rest)
    if (length := headers.get("content-length")) is None:
        return rest
    if not _LENGTH.fullmatch(length.encode()) or len(rest) < int(length):
        raise Malformed("part of the reply is missing")
    return rest[: int(length)]


def _unchunked(rest: bytes) -> bytes:
    """Return the content of chunks (RFC 9112 §7.1); raises Malformed if one is invalid or missing."""
    content, start = bytearray(), 0
    while (end := rest.find(b"\r\n", start)) >= 0:
        if (found := _SIZE.fullmatch(rest, start, end)) is None:
            raise Malformed("it sent an invalid chunk")
        size = int(found[1], 16)
        if not size:
            return bytes(content)
        start = end + 2 + size
        content += rest[end + 2 : start]
        if rest[start : start + 2] not in (b"", b"\r", b"\r\n"):
            raise Malformed("it sent a chunk of the wrong length")
        start += 2
    raise Malformed("part of the reply is missing")
