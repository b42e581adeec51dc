"""JSON-RPC 2.0 as a client speaks it, without a wire. Pure."""

import json
import math
import re
from collections.abc import Mapping
from typing import Protocol

from signet.domain.marketplace.models import ServerFailed
from signet.errors import Kind

#: Largest message of a server; an image in a result is some megabytes.
MAX_MESSAGE_BYTES = 8 * 1024 * 1024
#: Lists and objects within each other that a result may have: some hundreds are more than ours could be written with.
MAX_DEPTH = 100
_SAID_CHARS = 1_000
_METHOD_NOT_FOUND = -32601
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

Message = dict[str, object]


class Refused(ServerFailed):
    """The tool server answered with an error."""

    kind = Kind.INVALID
    code = "tool_server_refused"


class Gone(ServerFailed):
    """The tool server is gone; what was asked of it was not begun."""


class Late(ServerFailed):
    """The tool server did not answer in time (timeout)."""


class Wire(Protocol):
    """A connection to one server; its methods may be called from several threads at once."""

    @property
    def is_open(self) -> bool:
        """Return whether the server can still be asked."""

    def ask(self, method: str, params: Mapping[str, object], seconds: float) -> Message:
        """Return the result of a request; raises Refused, Gone, Late or another ServerFailed."""

    def tell(self, method: str, params: Mapping[str, object]) -> None:
        """Send a notification; what becomes of it is nobody's concern."""

    def agree(self, version: str) -> None:
        """Keep to this version of the protocol from here on."""

    def close(self) -> None:
        """Let the server go, at once and more than once."""


def request(id_: int, method: str, params: Mapping[str, object]) -> Message:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": dict(params)}


def notification(method: str, params: Mapping[str, object]) -> Message:
    """Return a message that nobody answers."""
    return {"jsonrpc": "2.0", "method": method, "params": dict(params)}


def read(raw: bytes | bytearray) -> Message | None:
    """Return a message, None for what is none: some servers print other things between.

    What no answer of ours can carry is not in it: half of a surrogate pair is a question mark, NaN is null.
    """
    try:
        found = json.loads(raw, parse_float=_finite, parse_constant=_finite)
        if _SURROGATE.search(raw):
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def answer_to(message: Message) -> Message | None:
    """Return what a server is told that asks something of us: we live, and offer nothing more."""
    if "method" not in message or message.get("id") is None:
        return None
    head: Message = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "ping":
        return head | {"result": {}}
    return head | {"error": {"code": _METHOD_NOT_FOUND, "message": "Method not found"}}


def result_of(reply: Message) -> Message:
    """Return the result in a reply; raises Refused with the server's words, ServerFailed for what is none."""
    error = reply.get("error")
    if error is not None:
        said = error.get("message") if isinstance(error, dict) else None
        raise Refused(str(said or "an error without a message")[:_SAID_CHARS])
    result = reply.get("result")
    if not isinstance(result, dict):
        raise ServerFailed("the answer is not an object")
    if _is_deep(result):
        raise ServerFailed(f"the answer has more than {MAX_DEPTH} levels")
    return result


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _is_deep(found: Message) -> bool:
    level: list[dict[object, object] | list[object]] = [found]  # type: ignore[list-item]
    for _ in range(MAX_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [one for some in inner for one in some if isinstance(one, dict | list)]
    return bool(level)
