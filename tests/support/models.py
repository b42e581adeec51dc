"""Model servers for tests: real HTTP on loopback, answers by script, every request kept.

    with fake_ollama("first answer", Status(429, retry_after="7"), lambda prompt: prompt.upper()) as server:
        model = OllamaModel(server.url, "qwen3:4b")

A script is used up one answer per question and its last answer repeats. It may be replaced at any time
(`server.answers = [...]`). Embeddings have a script of their own; without one they always work, and texts that share
words get similar vectors. `server.stop()` refuses connections, `server.start()` listens on the same port again.
"""

import json
import math
import random
import re
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.ports import free_port

#: How often a waiting answer looks whether it should go on.
TICK_SECONDS = 0.01


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as it came; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, object]


@dataclass(frozen=True)
class Status:
    """An error page, or any other status."""

    code: int
    body: str = '{"error":"told to fail"}'
    retry_after: str | None = None
    location: str | None = None


@dataclass(frozen=True)
class Raw:
    """A body with status 200 that is sent as it stands: malformed JSON, a list, nothing."""

    body: str


@dataclass(frozen=True)
class Events:
    """An event stream that is sent as it stands."""

    body: str


@dataclass(frozen=True)
class Cut:
    """A connection that closes in the middle of the answer."""


@dataclass(frozen=True)
class Hang:
    """Nothing at all until the event is set or the caller hangs up; then the text."""

    release: threading.Event = field(default_factory=threading.Event)
    text: str = "late"


@dataclass(frozen=True)
class Drip:
    """One byte at a time until the caller hangs up, never a whole answer; of the headers, or of the body."""

    headers: bool = False


class Works:
    """An embedding request that is answered as it should be."""


Answer = str | Callable[[str], str] | Status | Raw | Events | Cut | Hang | Drip | Works


def thinking(answer: str) -> str:
    """Return the answer as a model writes it that thinks aloud first."""
    return f'<think>Shall I say {{"facts": []}}? No.</think>\n{answer}'


@cache
def _word_vector(word: str, dimensions: int) -> tuple[float, ...]:
    chance = random.Random(word)
    return tuple(chance.gauss(0.0, 1.0) for _ in range(dimensions))


def unit_vector(text: str, dimensions: int) -> list[float]:
    """Return a vector of length one; the same for the same words, near for texts that share words."""
    words = re.findall(r"\w+", text.lower()) or [text]
    total = [
        sum(column) for column in zip(*(_word_vector(w, dimensions) for w in words), strict=True)
    ]
    length = math.hypot(*total)
    return [number / length for number in total]


def packed_vector(text: str, dimensions: int) -> bytes:
    """Return the unit vector as it is stored."""
    return struct.pack(f"<{dimensions}f", *unit_vector(text, dimensions))


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # the caller was faster
        connection.shutdown(socket.SHUT_RDWR)


class FakeServer:
    """A model server; see the head of the module. The model `*` stands for every name."""

    def __init__(
        self,
        routes: Mapping[tuple[str, str], "Route"],
        answers: Sequence[Answer],
        *,
        path: str,
        models: Sequence[str],
        dimensions: int,
        embeddings: Sequence[Answer],
    ) -> None:
        self.routes = routes
        self.answers: Sequence[Answer] = answers
        self.embeddings: Sequence[Answer] = embeddings
        self.models = list(models)
        self.dimensions = dimensions
        self.requests: list[Request] = []
        self.connections = 0
        self.stopping = threading.Event()
        self._path = path
        self._lock = threading.Condition()
        self._open: set[socket.socket] = set()
        self.port = free_port()
        self.start()

    @property
    def url(self) -> str:
        """Return the base URL to configure."""
        return f"http://127.0.0.1:{self.port}{self._path}"

    @property
    def prompts(self) -> list[str]:
        """Return the prompts that were asked, in order."""
        asked = (_prompt_of(request.body) for request in self.requests)
        return [prompt for prompt in asked if prompt is not None]

    def start(self) -> None:
        """Listen, after a stop on the same port as before."""
        self.stopping.clear()
        self._http = _Http(("127.0.0.1", self.port), _handler_for(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(TICK_SECONDS,))
        self._thread.start()

    def stop(self) -> None:
        """Cut every connection and refuse new ones."""
        if self.stopping.is_set():
            return
        self.stopping.set()
        self._http.shutdown()
        self._thread.join()
        with self._lock:
            for connection in self._open:
                _hang_up(connection)
        self._http.server_close()

    def opened(self, connection: socket.socket) -> None:
        """Note a connection that came in."""
        with self._lock:
            self.connections += 1
            self._open.add(connection)
            if self.stopping.is_set():
                _hang_up(connection)

    def closed(self, connection: socket.socket) -> None:
        """Note a connection that is over."""
        with self._lock:
            self._open.discard(connection)
            self._lock.notify_all()

    def wait_until_idle(self, seconds: float = 5.0) -> bool:
        """Wait until no connection is open; False when there still is one after `seconds`."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._open, seconds)

    def note(self, request: Request) -> None:
        """Keep a request."""
        with self._lock:
            self.requests.append(request)

    def next_answer(self) -> Answer:
        """Return the answer to the next question and use it up, unless it is the last."""
        with self._lock:
            first, *rest = self.answers
            self.answers = rest or [first]
            return first

    def next_embedding(self) -> Answer:
        """Return the answer to the next embedding request and use it up, unless it is the last."""
        with self._lock:
            first, *rest = self.embeddings
            self.embeddings = rest or [first]
            return first


#: From a server and a request to the answer and how to wrap its text in this server's JSON.
Wrap = Callable[[str], object]
Route = Callable[[FakeServer, Request], tuple[Answer, Wrap]]


@contextmanager
def fake_ollama(
    *answers: Answer,
    models: Sequence[str] = ("qwen3:4b", "nomic-embed-text:latest"),
    dimensions: int = 768,
    embeddings: Sequence[Answer] = (Works(),),
    is_old: bool = False,
) -> Iterator[FakeServer]:
    """Run an Ollama server; one that `is_old` embeds one text at a time only."""
    routes = OLLAMA if not is_old else {k: v for k, v in OLLAMA.items() if k[1] != "/api/embed"}
    yield from _running(routes, answers, "", models, dimensions, embeddings)


@contextmanager
def fake_openai(
    *answers: Answer,
    models: Sequence[str] = ("gpt-4o-mini", "text-embedding-3-small"),
    dimensions: int = 768,
    embeddings: Sequence[Answer] = (Works(),),
) -> Iterator[FakeServer]:
    """Run an OpenAI-compatible server."""
    yield from _running(OPENAI, answers, "/v1", models, dimensions, embeddings)


@contextmanager
def fake_anthropic(
    *answers: Answer, models: Sequence[str] = ("claude-haiku-4-5-20251001",)
) -> Iterator[FakeServer]:
    """Run a server of the Messages API."""
    yield from _running(ANTHROPIC, answers, "", models, 8, (Works(),))


@contextmanager
def fake_opencode(*answers: Answer) -> Iterator[FakeServer]:
    """Run an OpenCode server; an answer "" leaves the message empty, the next one is then found in its session."""
    yield from _running(OPENCODE, answers, "", (), 8, (Works(),))


@contextmanager
def fake_daemon(*answers: Answer) -> Iterator[FakeServer]:
    """Run what answers messages of MCP as a daemon does, or does not."""
    routes: Mapping[tuple[str, str], Route] = {
        ("POST", "/mcp"): lambda server, _: (server.next_answer(), str)
    }
    yield from _running(routes, answers, "", (), 8, (Works(),))


def _running(
    routes: Mapping[tuple[str, str], Route],
    answers: Sequence[Answer],
    path: str,
    models: Sequence[str],
    dimensions: int,
    embeddings: Sequence[Answer],
) -> Iterator[FakeServer]:
    server = FakeServer(
        routes,
        answers or ("ok",),
        path=path,
        models=models,
        dimensions=dimensions,
        embeddings=embeddings,
    )
    try:
        yield server
    finally:
        server.stop()


def _prompt_of(body: Mapping[str, object]) -> str | None:
    match body:
        case {"messages": [*_, {"content": str(content)}]}:
            return content
        case {"options": _, "prompt": str(prompt)}:
            return prompt
        case {"parts": [{"text": str(text)}]}:
            return text
    return None


def _tokens(text: str) -> int:
    return len(text.split())


def _always(answer: object) -> tuple[Answer, Wrap]:
    return Raw(json.dumps(answer)), lambda text: text


def _ollama_text(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    prompt = _prompt_of(request.body) or ""
    return server.next_answer(), lambda text: {
        "model": request.body.get("model"),
        "response": text,
        "done": True,
        "prompt_eval_count": _tokens(prompt),
        "eval_count": _tokens(text),
    }


def _openai_text(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    prompt = _prompt_of(request.body) or ""
    return server.next_answer(), lambda text: {
        "model": request.body.get("model"),
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": _tokens(prompt), "completion_tokens": _tokens(text)},
    }


def _anthropic_text(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    prompt = _prompt_of(request.body) or ""
    return server.next_answer(), lambda text: {
        "type": "message",
        "model": request.body.get("model"),
        "content": [{"type": "text", "text": part} for part in text.partition("|") if part != "|"],
        "usage": {"input_tokens": _tokens(prompt), "output_tokens": _tokens(text)},
    }


def _opencode_message(text: str) -> Mapping[str, object]:
    tokens = {"input": 7, "output": _tokens(text)}
    step = {"type": "step-start"}
    return {
        "info": {"role": "assistant", "tokens": tokens},
        "parts": [step, {"type": "text", "text": text}],
    }


def _opencode_text(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    return server.next_answer(), _opencode_message


def _opencode_session(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    asked = {"info": {"role": "user"}, "parts": [{"type": "text", "text": "the question"}]}
    return server.next_answer(), lambda text: [asked, *([_opencode_message(text)] if text else [])]


def _vectors(server: FakeServer, texts: object) -> list[list[float]]:
    assert isinstance(texts, list)
    return [unit_vector(text, server.dimensions) for text in texts]


def _ollama_batch(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    vectors = _vectors(server, request.body["input"])
    return server.next_embedding(), lambda _: {"embeddings": vectors}


def _ollama_single(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    [vector] = _vectors(server, [request.body["prompt"]])
    return server.next_embedding(), lambda _: {"embedding": vector}


def _openai_batch(server: FakeServer, request: Request) -> tuple[Answer, Wrap]:
    vectors = _vectors(server, request.body["input"])
    rows = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    # Last first: whoever goes by the place instead of by the index gets them wrong.
    return server.next_embedding(), lambda _: {"data": rows[::-1]}


OLLAMA: Mapping[tuple[str, str], Route] = {
    ("GET", "/api/tags"): lambda s, _: _always({"models": [{"name": n} for n in s.models]}),
    ("POST", "/api/generate"): _ollama_text,
    ("POST", "/api/embed"): _ollama_batch,
    ("POST", "/api/embeddings"): _ollama_single,
}
OPENAI: Mapping[tuple[str, str], Route] = {
    ("GET", "/v1/models"): lambda s, _: _always({"data": [{"id": n} for n in s.models]}),
    ("POST", "/v1/chat/completions"): _openai_text,
    ("POST", "/v1/embeddings"): _openai_batch,
}
ANTHROPIC: Mapping[tuple[str, str], Route] = {
    ("GET", "/v1/models"): lambda s, _: _always({"data": [{"id": n} for n in s.models]}),
    ("POST", "/v1/messages"): _anthropic_text,
}
OPENCODE: Mapping[tuple[str, str], Route] = {
    ("GET", "/global/health"): lambda *_: _always({"healthy": True, "version": "1.0.0"}),
    ("POST", "/session"): lambda *_: _always({"id": "ses_1"}),
    ("POST", "/session/ses_1/message"): _opencode_text,
    ("GET", "/session/ses_1/message"): _opencode_session,
    ("DELETE", "/session/ses_1"): lambda *_: _always(True),
}


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a caller that hangs up is part of the tests; a broken fake shows in their results."""


def _handler_for(server: FakeServer) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"fake": server})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    fake: FakeServer

    def setup(self) -> None:
        super().setup()
        self.fake.opened(self.connection)

    def finish(self) -> None:
        self.fake.closed(self.connection)
        super().finish()

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = Request(
            method=self.command,
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=json.loads(raw) if raw else {},
        )
        self.fake.note(request)
        route = self.fake.routes.get((self.command, self.path.partition("?")[0]))
        if route is None:
            return self._send(Status(404, "404 page not found"))
        model = request.body.get("model")
        if isinstance(model, str) and not self._has(model):
            return self._send(Status(404, json.dumps({"error": f"model '{model}' not found"})))
        answer, wrap = route(self.fake, request)
        self._perform(answer, wrap, _prompt_of(request.body) or "")

    def _has(self, model: str) -> bool:
        return any(name in (model, f"{model}:latest", "*") for name in self.fake.models)

    def _perform(self, answer: Answer, wrap: Wrap, prompt: str) -> None:
        match answer:
            case Status():
                self._send(answer)
            case Raw():
                self._send(Status(200, answer.body))
            case Events():
                self._send(Status(200, answer.body), "text/event-stream")
            case Cut():
                self._start(1000)
                self.wfile.write(b'{"response":')
                self.close_connection = True
            case Hang():
                if self._waits(answer.release):
                    self._send(Status(200, json.dumps(wrap(answer.text))))
            case Drip():
                self._drip(answer)
            case _:
                text = (
                    answer
                    if isinstance(answer, str)
                    else answer(prompt)
                    if callable(answer)
                    else ""
                )
                self._send(Status(200, json.dumps(wrap(text))))

    def _send(self, status: Status, content_type: str = "application/json") -> None:
        body = status.body.encode()
        self._start(
            len(body),
            status.code,
            {"Retry-After": status.retry_after, "Location": status.location},
            content_type,
        )
        self.wfile.write(body)

    def _start(
        self,
        length: int,
        code: int = 200,
        headers: Mapping[str, str | None] | None = None,
        content_type: str = "application/json",
    ) -> None:
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()

    def _drip(self, drip: Drip) -> None:
        if drip.headers:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        else:
            self._start(1_000_000)
        while not self._hung_up():
            self.wfile.write(b"x")
            self.wfile.flush()

    def _waits(self, release: threading.Event) -> bool:
        """Wait for the event; False when the caller hung up or the server stops."""
        while not release.is_set():
            if self._hung_up():
                self.close_connection = True
                return False
        return True

    def _hung_up(self) -> bool:
        """Wait one tick and return whether the caller is gone, or the server stops."""
        readable, _, _ = select.select([self.connection], [], [], TICK_SECONDS)
        gone = bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        return gone or self.fake.stopping.is_set()
