"""A web server for tests: real HTTP on loopback, pages by path, every request kept."""

import select
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: How often an endless answer looks whether anybody still listens.
TICK_SECONDS = 0.01


@dataclass(frozen=True, kw_only=True)
class Page:
    """What is at a path; an `endless` one repeats its body for ever, a `slow` one a byte at a time."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    is_endless: bool = False
    is_slow: bool = False
    #: The answer waits for this.
    release: threading.Event | None = None


def html(text: str) -> Page:
    """Return a page of HTML."""
    return Page(body=text.encode(), headers={"Content-Type": "text/html; charset=utf-8"})


def moved(location: str, status: int = 302) -> Page:
    """Return a redirect."""
    return Page(status=status, headers={"Location": location})


@dataclass
class Site:
    """The pages by path and what was asked for: path and headers with lower-case names, and bodies that were posted.

    A page whose path has no query is the answer to every query.
    """

    port: int
    pages: dict[str, Page] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    posted: list[bytes] = field(default_factory=list)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """Return the address of a path."""
        return f"http://{host}:{self.port}{path}"


@contextmanager
def a_site(pages: Mapping[str, Page] | None = None) -> Iterator[Site]:
    """Run a web server until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = False
    site = Site(server.server_address[1], dict(pages or {}))
    stopping = threading.Event()
    server.RequestHandlerClass = type("Handler", (_Handler,), {"site": site, "stopping": stopping})
    thread = threading.Thread(target=server.serve_forever, args=(TICK_SECONDS,))
    thread.start()
    try:
        yield site
    finally:
        stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    site: Site
    stopping: threading.Event

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""

    def do_GET(self) -> None:
        self.site.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        missing = self.site.pages.get(self.path.partition("?")[0], Page(status=404))
        page = self.site.pages.get(self.path, missing)
        try:
            self._send(page)
        except OSError:
            self.close_connection = True  # the caller had enough

    def do_POST(self) -> None:
        self.site.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.do_GET()

    def _send(self, page: Page) -> None:
        while page.release is not None and not page.release.is_set():
            if self._is_alone():
                return
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        if not (page.is_endless or page.is_slow or "Content-Length" in page.headers):
            self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        if page.is_slow:
            for byte in page.body:
                self.wfile.write(bytes((byte,)))
                if self._is_alone():
                    return
        else:
            self.wfile.write(page.body)
        while page.is_endless and not self.stopping.is_set():
            self.wfile.write(page.body)

    def _is_alone(self) -> bool:
        """Wait one tick and return whether nobody waits for the answer any more."""
        readable, _, _ = select.select([self.connection], [], [], TICK_SECONDS)
        return bool(readable) or self.stopping.is_set()
