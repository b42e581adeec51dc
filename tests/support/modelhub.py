"""A model hub for tests: real HTTP on loopback, which redirects to another path for large files as the hub does."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.ports import free_port


@dataclass
class ModelHub:
    """The files of `REPOSITORY/resolve/REVISION/`, by path.

    So many answers as `cuts` says end in the middle. `requests` has the path and the Range header of each request for
    content.
    """

    files: Mapping[str, bytes]
    cuts: int = 0
    knows_ranges: bool = True
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        """Return what HF_ENDPOINT is set to."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def a_model_hub(files: Mapping[str, bytes]) -> Iterator[ModelHub]:
    """Serve files until the block ends."""
    hub = ModelHub(files)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.strip("/")
            body = hub.files.get(path.removeprefix("content/"))
            if body is None:
                self._answer(404, b"Entry not found")
            elif not path.startswith("content/"):
                self._answer(302, b"", Location=f"/content/{path}")
            else:
                asked = self.headers["Range"]
                hub.requests.append((path.rpartition("/")[2], asked))
                start = int(asked[6:-1]) if asked and hub.knows_ranges else 0
                if start >= len(body):
                    self._answer(416, b"")
                else:
                    self._answer(206 if start else 200, body[start:])

        def _answer(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if status in (200, 206) and hub.cuts:
                hub.cuts -= 1
                body = body[: len(body) // 2]
                self.close_connection = True
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", hub.port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
