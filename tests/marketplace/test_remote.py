"""Servers over HTTP that do not behave: what they may do to us, and what not."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.pages import a_site

from .conftest import PATIENT_MS, ROOT, Tools

#: Status, headers and body.
Said = tuple[int, Mapping[str, str], bytes]
JSON = {"Content-Type": "application/json"}
EVENTS = {"Content-Type": "text/event-stream"}
TOOL = {"name": "echo", "description": "Repeats", "inputSchema": {"type": "object"}}
RESULTS: Mapping[str, Mapping[str, object]] = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {}},
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "here"}]},
}


@dataclass
class Harbour:
    """A server that answers as it is told; what was asked is kept with its headers."""

    url: str
    answer: Callable[[str, Mapping[str, Any]], Said | None]
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


def usual(message: Mapping[str, Any]) -> Said:
    """Return what a good server answers."""
    if "id" not in message:
        return 202, {}, b""
    reply = {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]}
    return 200, JSON, json.dumps(reply).encode()


@contextmanager
def harbour(answer: Callable[[str, Mapping[str, Any]], Said | None]) -> Iterator[Harbour]:
    """Run a server whose `answer` to a path and message holds, or the usual one where that is None."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            place.asked.append((self.path, message["method"], headers))
            status, more, body = place.answer(self.path, message) or usual(message)
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_DELETE(self) -> None:
            place.asked.append((self.path, "DELETE", {}))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    place = Harbour(f"http://127.0.0.1:{server.server_address[1]}", answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield place
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def add(tools: Tools, url: str, **config: object) -> Any:
    """Register a server at an address, switch it on and return it once it is there or has failed."""
    sent = {"url": url, "timeoutMs": PATIENT_MS, **config}
    return tools.settled(tools.register("Harbour", sent, enabled=True)["id"])


def test_a_session_is_named_in_every_message_and_begun_anew_when_it_was_forgotten(
    tools: Tools,
) -> None:
    sessions = iter("ab")
    forgotten = threading.Event()

    def answer(path: str, message: Mapping[str, Any]) -> Said | None:
        if message["method"] == "initialize":
            status, headers, body = usual(message)
            return status, {**headers, "Mcp-Session-Id": next(sessions)}, body
        if message["method"] == "tools/call" and not forgotten.is_set():
            forgotten.set()
            return 404, JSON, b'{"error": "no session"}'
        return None

    with harbour(answer) as place:
        tools.api.post("/api/secrets/MAST_KEY", {"value": "oak-and-tar-77"})
        add(tools, place.url + "/mcp?x=1", headers={"Authorization": "Bearer $secret:MAST_KEY"})
        assert tools.said("harbour", "echo") == "here"
        tools.api.delete(f"{ROOT}/harbour")
    methods = [method for _, method, _ in place.asked if method != "DELETE"]
    begin = ["initialize", "notifications/initialized", "tools/list"]
    assert methods == [*begin, "tools/call", *begin, "tools/call"]
    posts = [(path, headers) for path, method, headers in place.asked if method != "DELETE"]
    assert {path for path, _ in posts} == {"/mcp?x=1"}
    assert [headers.get("mcp-session-id") for _, headers in posts] == [
        *(None, "a", "a", "a"),
        *(None, "b", "b", "b"),
    ]
    assert {headers["authorization"] for _, headers in posts} == {"Bearer oak-and-tar-77"}
    assert posts[-1][1]["mcp-protocol-version"] == "2025-06-18"


def test_a_redirect_is_followed_on_the_same_host_and_nowhere_else(tools: Tools) -> None:
    def answer(path: str, message: Mapping[str, Any]) -> Said | None:
        return (307, {"Location": "/mcp/"}, b"") if path == "/mcp" else None

    with harbour(answer) as place:
        assert add(tools, place.url + "/mcp")["state"] == "ready"
        assert tools.said("harbour", "echo") == "here"
    with a_site() as other:
        away = {"Location": other.url("/mcp")}
        with harbour(lambda path, message: (307, away, b"")) as place:
            failed = add(tools, place.url + "/mcp", headers={"X-Key": "hush"})
            assert "it redirects to another host" in failed["error"]
        assert other.asked == [] and other.posted == []


def test_an_answer_among_events_is_found_and_the_rest_is_not_waited_for(tools: Tools) -> None:
    def answer(path: str, message: Mapping[str, Any]) -> Said | None:
        if message["method"] != "tools/call":
            return None
        noise = b': hello\r\nevent: message\r\ndata: {"jsonrpc":"2.0","method":"x"}\r\n\r\n'
        reply = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": RESULTS["tools/call"]})
        first, second = reply[:18].encode(), reply[18:].encode()
        lines = b"data: " + first + b"\ndata: " + second + b"\n\n"
        return 200, EVENTS, noise + lines + b"data: and so on\n\n"

    with harbour(answer) as place:
        add(tools, place.url)
        assert tools.said("harbour", "echo") == "here"


def test_what_is_no_answer_is_told_in_words(tools: Tools) -> None:
    cases: list[tuple[Said, str]] = [
        ((401, JSON, b"{}"), "it answered 401: it requires authentication"),
        ((500, JSON, b'{"error": {"message": "aground"}}'), "it answered 500: aground"),
        ((200, JSON, b"[]"), "the connection ended before the answer came"),
        ((200, EVENTS, b"data: {}\n\n"), "the connection ended before the answer came"),
        ((200, JSON, b"x" * 9_000_000), "the answer is larger than"),
    ]
    for said, words in cases:
        with harbour(lambda path, message, said=said: said) as place:  # type: ignore[misc]
            server = add(tools, place.url)
            assert words in server["error"], words
        tools.api.delete(f"{ROOT}/{server['id']}")
