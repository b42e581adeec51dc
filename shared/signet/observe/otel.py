"""OpenTelemetry implementation of the spans of tracing.py; imported only if tracing is enabled.

A thread of the library sends the spans and drops those it cannot send. The standard variables apply
(OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME, OTEL_SDK_DISABLED …).
"""

import logging
import threading
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import requests
from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from signet import __version__
from signet.config.env import is_loopback
from signet.observe import logs
from signet.observe.tracing import NOTHING, TraceSpan, Value

log = logs.get("system")


#: Seconds a stopping process waits to send its last spans; a daemon stops within five.
STOP_SECONDS = 1.0

_W3C = TraceContextTextMapPropagator()
_HEADERS = ("traceparent", "tracestate")


class RecordedSpan(TraceSpan):
    """A recorded span; work of its thread or task until its end belongs to it."""

    __slots__ = ("_span", "_token")

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self._token = context.attach(trace.set_span_in_context(span))

    def name(self, text: str) -> None:
        self._span.update_name(text)

    def note(self, facts: Mapping[str, Value | None]) -> None:
        self._span.set_attributes({key: fact for key, fact in facts.items() if fact is not None})

    def fail(self, code: str) -> None:
        self._span.set_attribute("error.type", code)
        self._span.set_status(Status(StatusCode.ERROR))

    def end(self) -> None:
        context.detach(self._token)
        self._span.end()


class Otel:
    """Creates the spans of a process, and sends them to one address."""

    def __init__(self, process: str, url: str) -> None:
        resource = Resource.create(
            {"service.namespace": "signet", "service.name": f"signet-{process}"}
            | {"service.version": __version__}
        )
        # Sampler and limits come from the environment, as the library documents.
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_LoggedExporter(url)))
        self._tracer = self._provider.get_tracer("signet", __version__)

    def stop(self) -> None:
        """Send remaining spans, for at most a second."""
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(STOP_SECONDS)

    def request(self, method: str, headers: Mapping[str, str]) -> TraceSpan:
        here = context.get_current()  # of a request made by another one
        origin = here if _is_traced(here) else _origin(headers)
        return self._begun(method, SpanKind.SERVER, origin, {})

    def job(
        self, kind: str, payload: Mapping[str, object], facts: Mapping[str, Value | None]
    ) -> TraceSpan:
        return self._begun(f"job {kind}", SpanKind.CONSUMER, _origin(payload), facts)

    def call(self, operation: str, provider: str, model: str) -> TraceSpan:
        here = context.get_current()
        if not _is_traced(here):
            return NOTHING
        facts = {
            "gen_ai.operation.name": operation,
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
        }
        return self._begun(f"{operation} {model}", SpanKind.CLIENT, here, facts)

    def carried(self, payload: Mapping[str, object] | None) -> Mapping[str, object] | None:
        headers: dict[str, str] = {}
        _W3C.inject(headers)
        return {**(payload or {}), **headers} if headers else payload

    def _begun(
        self, name: str, kind: SpanKind, parent: Context, facts: Mapping[str, Value | None]
    ) -> TraceSpan:
        span = RecordedSpan(self._tracer.start_span(name, context=parent, kind=kind))
        span.note(facts)
        return span


class _LoggedExporter(SpanExporter):
    """Sends spans, and logs once when sending starts to fail or works again; the library would log every failure."""

    def __init__(self, url: str) -> None:
        session = requests.Session()
        # Loopback never uses a proxy.
        session.trust_env = not is_loopback(urlsplit(url).hostname or "")
        self._exporter = OTLPSpanExporter(endpoint=url, session=session)
        self._is_down = False
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        is_down = result is not SpanExportResult.SUCCESS
        if is_down is not self._is_down:
            self._is_down = is_down
            write = log.warning if is_down else log.info
            write("tracing.not_sent" if is_down else "tracing.sent_again", spans=len(spans))
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]  # ships no types here


def _origin(carrier: Mapping[str, object]) -> Context:
    named = {key: value for key in _HEADERS if isinstance(value := carrier.get(key), str)}
    return _W3C.extract(named, context=Context())


def _is_traced(here: Context) -> bool:
    return trace.get_current_span(here).get_span_context().is_valid
