"""A collector of traces on loopback that keeps the spans it is sent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One span as it came; ids in hex, `parent` is empty for the first of a trace."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    failed: bool
    facts: dict[str, object]


@dataclass
class Collector:
    """What came so far."""

    url: str
    spans: list[Sent] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def of(self, trace: str) -> list[Sent]:
        """Return the spans of a trace."""
        return [span for span in self.spans if span.trace == trace]

    def take(self, body: bytes) -> None:
        """Keep the spans of one request."""
        asked = ExportTraceServiceRequest.FromString(body)
        for group in asked.resource_spans:
            named = {pair.key: pair.value.string_value for pair in group.resource.attributes}
            for span in (span for scope in group.scope_spans for span in scope.spans):
                self.spans.append(
                    Sent(
                        service=named["service.name"],
                        name=span.name,
                        trace=span.trace_id.hex(),
                        id=span.span_id.hex(),
                        parent=span.parent_span_id.hex(),
                        failed=span.status.code == 2,
                        facts={
                            pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "")
                            for pair in span.attributes
                        },
                    )
                )


@contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            collector.paths.append(self.path)
            collector.bodies.append(body)
            if self.path == "/v1/traces":
                collector.take(body)
            self.send_response(200 if self.path == "/v1/traces" else 404)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
