"""A package index for tests: real HTTP on loopback, in the two forms that indexes have, every request kept.

with a_package_index({"some-package": {"some_package-1.0-py3-none-any.whl": b"..."}}) as index:
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
"""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

from support.ports import free_port

JSON, HTML = "application/vnd.pypi.simple.v1+json", "text/html"


@dataclass
class PackageIndex:
    """What the index offers and how it behaves; all of it may be changed while it runs.

    `form` is how its pages are written, `digest` what they say of a file's SHA-256 (None: nothing), `login` who may
    read, `statuses` are answered first, one each, and so many answers as `cuts` say end in the middle of a file.
    """

    packages: Mapping[str, Mapping[str, bytes]]
    form: Literal["json", "html"] = "json"
    digest: Literal["right", "wrong"] | None = "right"
    login: tuple[str, str] | None = None
    statuses: list[int] = field(default_factory=list)
    cuts: int = 0
    asked: list[str] = field(default_factory=list)
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        """Return the address that pip and uv would be given."""
        return f"http://127.0.0.1:{self.port}/simple"

    def page(self, package: str) -> tuple[str, bytes]:
        """Return the media type and the text of a package's page."""
        files = [(name, self._digest(raw)) for name, raw in self.packages[package].items()]
        if self.form == "json":
            listed = [
                {
                    "filename": name,
                    "url": f"../../files/{package}/{name}",
                    "hashes": {"sha256": digest} if digest else {},
                }
                for name, digest in files
            ]
            return JSON, json.dumps({"meta": {"api-version": "1.1"}, "files": listed}).encode()
        links = [
            f'<a data-requires-python="&gt;=3.8" href="../../files/{package}/{name}'
            f'{f"#sha256={digest}" if digest else ""}">{name}</a><br/>'
            for name, digest in files
        ]
        return HTML, f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode()

    def _digest(self, raw: bytes) -> str | None:
        right = hashlib.sha256(raw).hexdigest()
        return {"right": right, "wrong": right[::-1], None: None}[self.digest]


@contextmanager
def a_package_index(packages: Mapping[str, Mapping[str, bytes]]) -> Iterator[PackageIndex]:
    """Serve packages (names, with their files) until the block ends."""
    index = PackageIndex(packages)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index.asked.append(self.path)
            status, kind, body = self._answer(self.path.strip("/").split("/"))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if kind == "application/zip" and index.cuts:
                index.cuts -= 1
                body = body[: len(body) // 2]
            self.wfile.write(body)

        def _answer(self, path: list[str]) -> tuple[int, str, bytes]:
            if index.statuses:
                return index.statuses.pop(0), HTML, b"<p>as the test asked</p>"
            if index.login is not None:
                raw = ":".join(index.login).encode()
                if self.headers["Authorization"] != f"Basic {base64.b64encode(raw).decode()}":
                    return 401, HTML, b"<p>who are you?</p>"
            match path:
                case ["simple", package] if package in index.packages:
                    return (200, *index.page(package))
                case ["files", package, name] if name in index.packages.get(package, {}):
                    return 200, "application/zip", index.packages[package][name]
            return 404, HTML, b"<p>not here</p>"

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", index.port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
