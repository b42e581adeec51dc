"""Follow one memory from the request through its jobs: OpenTelemetry spans, where a collector is configured.

Off unless agent.yaml (`pipelineV2.telemetry.otlpEndpoint`) or the standard OTEL_EXPORTER_OTLP_ENDPOINT names one;
then nothing is imported and each call here is one look at a variable. Spans go to that address and to no other, and
hold ids, kinds and codes: never a text, a question, a path or a message of an error.

The trace of a request goes where its work goes: with a write to the writer's thread (db/writer.py), with a job in its
payload (`carried`), as `traceparent` and `tracestate` of https://www.w3.org/TR/trace-context/.
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

#: What spans are made with: `pip install 'signetai[otel]'`.
EXTRA = "signetai[otel]"
#: Where an OTLP/HTTP collector takes traces, below its address.
TRACES_PATH = "/v1/traces"


class Span:
    """A piece of work. This one is not recorded; those of otel.py are."""

    __slots__ = ()

    def name(self, text: str) -> None:
        """Say what it is once that is known."""

    def note(self, facts: Mapping[str, Value | None]) -> None:
        """Add facts; those that are None are left out."""

    def fail(self, code: str) -> None:
        """Say that it failed, by a code."""

    def end(self) -> None:
        """End it; what comes next is no part of it."""

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()


NOTHING = Span()


class Tracing:
    """The spans of this process; for any thread."""

    def __init__(self) -> None:
        self._otel: Otel | None = None

    @property
    def is_on(self) -> bool:
        """Return whether anything is recorded."""
        return self._otel is not None

    def start(self, process: str, endpoint: str | None) -> None:
        """Record from now on, if agent.yaml or the environment names a collector.

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
        """Send what was recorded, for at most a second, and record no more."""
        otel, self._otel = self._otel, None
        if otel is not None:
            otel.stop()

    def request(self, method: str, headers: Mapping[str, str]) -> Span:
        """Return the span of a request; it continues the trace that its headers name."""
        return self._otel.request(method, headers) if self._otel else NOTHING

    def job(
        self, kind: str, payload: Mapping[str, object], facts: Mapping[str, Value | None]
    ) -> Span:
        """Return the span of a run of a job; it continues the trace of the request or job that queued it."""
        return self._otel.job(kind, payload, facts) if self._otel else NOTHING

    def call(self, operation: str, provider: str, model: str) -> Span:
        """Return the span of a call of a provider; calls that are no part of anything are not recorded."""
        return self._otel.call(operation, provider, model) if self._otel else NOTHING

    def carried(self, payload: Mapping[str, object] | None) -> Mapping[str, object] | None:
        """Return a job's payload with the trace it belongs to."""
        return self._otel.carried(payload) if self._otel else payload


#: The one of this process, as the metrics are.
TRACES = Tracing()


def address(endpoint: str | None, environ: Mapping[str, str]) -> str | None:
    """Return where spans are sent, None where no address is set: agent.yaml counts before the environment.

    The variables are those of https://opentelemetry.io/docs/specs/otel/protocol/exporter/; pure.
    """
    if endpoint is None and environ.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none":
        return None
    if endpoint is None and (
        exact := environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    ):
        return exact
    base = (endpoint or environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "")).strip().rstrip("/")
    return base.removesuffix(TRACES_PATH) + TRACES_PATH if base else None
