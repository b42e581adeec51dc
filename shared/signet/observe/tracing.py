"""Follow one memory from its request through its jobs: OpenTelemetry spans, if a collector is configured.

Off unless agent.yaml (`pipelineV2.telemetry.otlpEndpoint`) or OTEL_EXPORTER_OTLP_ENDPOINT names a collector; when
off, nothing is imported and each call reads one variable. Spans go only to that address, and contain IDs, kinds and
codes, never a text, a question, a path or an error message.

The trace follows a request's work: with a write to the writer's thread (db/writer.py), with a job in its payload
(`carried`), as `traceparent` and `tracestate` of https://www.w3.org/TR/trace-context/.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from signet.observe import logs

if TYPE_CHECKING:
    from signet.observe.otel import Otel

log = logs.get("system")


Value = str | int | float | bool

#: The package extra for tracing.
EXTRA = "signetai[otel]"
#: Path for traces below an OTLP/HTTP collector's address.
TRACES_PATH = "/v1/traces"


class TraceSpan:
    """A span that is not recorded; otel.py has recorded ones."""

    __slots__ = ()

    def name(self, text: str) -> None:
        """Set the name, once known."""

    def note(self, facts: Mapping[str, Value | None]) -> None:
        """Add attributes, except None."""

    def fail(self, code: str) -> None:
        """Mark it as failed, with a code."""

    def end(self) -> None:
        """End it; later work does not belong to it."""

    def __enter__(self) -> TraceSpan:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.fail(kind.__name__)  # the message may contain user text
        self.end()


NOTHING = TraceSpan()


class Tracing:
    """The spans of this process; thread-safe."""

    def __init__(self) -> None:
        self._otel: Otel | None = None

    @property
    def is_on(self) -> bool:
        return self._otel is not None

    def start(self, process: str, endpoint: str | None) -> None:
        """Start recording if agent.yaml or the environment names a collector.

        A missing library is logged, and nothing is recorded.
        """
        url = address(endpoint, os.environ)
        if url is None:
            return
        try:
            from signet.observe.otel import Otel
        except ModuleNotFoundError as error:
            log.warning("tracing.missing", module=error.name, install=f"pip install '{EXTRA}'")
            return
        self._otel = Otel(process, url)
        log.info("tracing.on", endpoint=url)

    def stop(self) -> None:
        """Send the recorded spans, for at most a second, and stop recording."""
        otel, self._otel = self._otel, None
        if otel is not None:
            otel.stop()

    def request(self, method: str, headers: Mapping[str, str]) -> TraceSpan:
        """Return the span of a request; it continues the trace in its headers."""
        return self._otel.request(method, headers) if self._otel else NOTHING

    def job(
        self, kind: str, payload: Mapping[str, object], facts: Mapping[str, Value | None]
    ) -> TraceSpan:
        """Return the span of a job's run; it continues the trace of the request or job that queued it."""
        return self._otel.job(kind, payload, facts) if self._otel else NOTHING

    def call(self, operation: str, provider: str, model: str) -> TraceSpan:
        """Return the span of a provider call; calls outside a trace are not recorded."""
        return self._otel.call(operation, provider, model) if self._otel else NOTHING

    def carried(self, payload: Mapping[str, object] | None) -> Mapping[str, object] | None:
        return self._otel.carried(payload) if self._otel else payload


#: The spans of this process.
TRACES = Tracing()


def address(endpoint: str | None, environ: Mapping[str, str]) -> str | None:
    """Return the address for spans, None if not set; agent.yaml overrides the environment.

    Variables: https://opentelemetry.io/docs/specs/otel/protocol/exporter/; pure.
    """
    if endpoint is None and environ.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none":
        return None
    if endpoint is None and (
        exact := environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    ):
        return exact
    base = (endpoint or environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")).strip().rstrip("/")
    return base.removesuffix(TRACES_PATH) + TRACES_PATH if base else None
