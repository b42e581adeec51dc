"""Buffer of this process's unwritten records: errors, events, provider calls, callers.

Plain numbers are in metrics.py; this module records names and words. Recording takes a lock briefly, never waits for
a database and never raises. The buffer is bounded and drops the oldest records first. `signet.domain.activity.events`
takes and writes them in one transaction.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from signet import clock
from signet.observe import metrics
from signet.observe.redact import redact
from signet.observe.taxonomy import Code

MAX_ERRORS = 500
MAX_EVENTS = 5_000
MAX_OUTCOMES = 100
#: Names counted between two writes; further ones are counted together.
MAX_NAMES = 2_000
OTHER = "(other)"
MESSAGE_CHARS = 1_000
#: Maximum length of an event's text property: names of models and codes, never a sentence (TL-3).
PROPERTY_CHARS = 120

Property = str | float | bool | None


class TelemetryKind(StrEnum):
    """Kinds of telemetry events; they never leave this machine."""

    LLM_GENERATE = "llm.generate"
    PIPELINE_EXTRACTION = "pipeline.extraction"
    PIPELINE_DECISION = "pipeline.decision"
    PIPELINE_EMBEDDING = "pipeline.embedding"
    PIPELINE_ERROR = "pipeline.error"
    SESSION_START = "session.start"
    SESSION_END = "session.end"
    DAEMON_HEARTBEAT = "daemon.heartbeat"
    RECALL_PERFORMED = "recall.performed"


#: The stored properties of each event.
PROPERTIES: Mapping[TelemetryKind, frozenset[str]] = {
    TelemetryKind.LLM_GENERATE: frozenset(
        "provider inputTokens outputTokens cacheReadTokens cacheCreationTokens totalCost durationMs success"
        " errorCode".split()
    ),
    TelemetryKind.PIPELINE_EXTRACTION: frozenset(
        "factCount entityCount warningCount durationMs model".split()
    ),
    TelemetryKind.PIPELINE_DECISION: frozenset(
        "proposals applied skipped blocked durationMs".split()
    ),
    TelemetryKind.PIPELINE_EMBEDDING: frozenset("provider model count durationMs success".split()),
    TelemetryKind.PIPELINE_ERROR: frozenset("stage code durationMs".split()),
    TelemetryKind.SESSION_START: frozenset("harness memories identityFiles".split()),
    TelemetryKind.SESSION_END: frozenset("harness chars queued".split()),
    TelemetryKind.DAEMON_HEARTBEAT: frozenset(
        "uptimeMs memoryCount connectorsActive pipelineMode extractionProvider embeddingProvider".split()
    ),
    TelemetryKind.RECALL_PERFORMED: frozenset("type results latencyMs truncated".split()),
}


class Count(StrEnum):
    """Kinds of counts by name: of a caller, or of a connector."""

    REQUESTS = "requests"
    REMEMBERS = "remembers"
    RECALLS = "recalls"
    MUTATIONS = "mutations"
    SYNCS = "syncs"
    SYNC_ERRORS = "errors"
    DOCUMENTS = "documentsProcessed"


class RecordedError(NamedTuple):
    """One stored error, with a redacted message."""

    timestamp: str
    stage: str
    code: str
    message: str
    request_id: str | None
    memory_id: str | None
    actor: str | None


class RecordedEvent(NamedTuple):
    event: TelemetryKind
    timestamp: str
    properties: Mapping[str, Property]


class RecordedOutcome(NamedTuple):
    """The stored outcome of one provider call; `kind` is llm or embedding."""

    provider: str
    kind: str
    outcome: str
    error: str | None
    at: str


@dataclass(slots=True, kw_only=True)
class Batch:
    """Records since the buffer was last taken."""

    errors: deque[RecordedError] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))
    events: deque[RecordedEvent] = field(default_factory=lambda: deque(maxlen=MAX_EVENTS))
    outcomes: deque[RecordedOutcome] = field(default_factory=lambda: deque(maxlen=MAX_OUTCOMES))
    counts: Counter[tuple[Count, str]] = field(default_factory=Counter)
    #: Time of the first of these events (monotonic).
    since: float | None = None
    #: Number of events dropped for later ones.
    dropped: int = 0

    def __bool__(self) -> bool:
        return self.is_urgent or bool(self.events)

    @property
    def is_urgent(self) -> bool:
        """Return whether a record must be visible within two seconds."""
        return bool(self.errors or self.outcomes or self.counts)


class Buffer:
    """The buffer of one process; thread-safe."""

    def __init__(self) -> None:
        self._batch = Batch()
        self._lock = threading.Lock()
        #: Set while the buffer is not empty.
        self.has_items = threading.Event()

    def count(self, what: Count, name: str, by: int = 1) -> None:
        """Count for a caller or a connector."""
        with self._lock:
            counts = self._batch.counts
            is_one_more = (what, name) not in counts and len(counts) >= MAX_NAMES
            counts[what, OTHER if is_one_more else name] += by
            self.has_items.set()

    def error(self, item: RecordedError) -> None:
        with self._lock:
            self._batch.errors.append(item)
            self.has_items.set()

    def outcome(self, item: RecordedOutcome) -> None:
        with self._lock:
            self._batch.outcomes.append(item)
            self.has_items.set()

    def event(self, item: RecordedEvent) -> None:
        with self._lock:
            self._batch.dropped += len(self._batch.events) == MAX_EVENTS
            self._batch.events.append(item)
            self._batch.since = self._batch.since or time.monotonic()
            self.has_items.set()

    def state(self) -> tuple[bool, int, float]:
        """Return whether something is urgent, the number of events, and the first one's waiting time (s)."""
        with self._lock:
            since = self._batch.since
            waited = 0.0 if since is None else time.monotonic() - since
            return self._batch.is_urgent, len(self._batch.events), waited

    def take(self) -> Batch:
        with self._lock:
            taken, self._batch = self._batch, Batch()
            self.has_items.clear()
            return taken

    def put_back(self, taken: Batch) -> None:
        """Put back unwritten records before later ones, within the bounds."""
        with self._lock:
            now = self._batch
            taken.errors.extend(now.errors)
            taken.events.extend(now.events)
            taken.outcomes.extend(now.outcomes)
            taken.counts.update(now.counts)
            taken.since = taken.since or now.since
            taken.dropped += now.dropped
            self._batch = taken
            self.has_items.set()


#: The buffer of this process.
BUFFER = Buffer()


def error(
    code: Code, message: str, *, memory_id: str | None = None, duration_ms: float | None = None
) -> None:
    """Record an error with request, memory and caller from the log context."""
    from structlog import contextvars  # loads slowly, and no command writes records

    context = contextvars.get_contextvars()
    metrics.ERRORS.labels(code.stage, code).inc()
    BUFFER.error(
        RecordedError(
            timestamp=clock.to_text(clock.now()),
            stage=code.stage,
            code=code,
            message=redact(message)[:MESSAGE_CHARS],
            request_id=context.get("request_id"),
            memory_id=memory_id or context.get("memory_id"),
            actor=context.get("actor"),
        )
    )
    event(TelemetryKind.PIPELINE_ERROR, stage=code.stage, code=code, durationMs=duration_ms)


def event(kind: TelemetryKind, /, **properties: Property) -> None:
    """Record a telemetry event; unknown properties are dropped, long texts truncated."""
    known = PROPERTIES[kind]
    kept = {name: _short(value) for name, value in properties.items() if name in known}
    BUFFER.event(RecordedEvent(kind, clock.to_text(clock.now()), kept))


def count(what: Count, name: str, by: int = 1) -> None:
    """Count for a caller or a connector, by name."""
    BUFFER.count(what, name, by)


def outcome(provider: str, kind: str, outcome: str, error: str | None) -> None:
    text = None if error is None else redact(error)[:MESSAGE_CHARS]
    BUFFER.outcome(RecordedOutcome(provider, kind, outcome, text, clock.to_text(clock.now())))


def _short(value: Property) -> Property:
    return value[:PROPERTY_CHARS] if isinstance(value, str) else value
