"""What this process has seen and not yet written to rows: errors, events, calls of providers, who asked.

Numbers alone are in metrics.py and rings.py; here is what has a name or words. Noting something takes a lock for an
instant, never waits for a database and never raises. What nobody takes away is bounded, the oldest goes first.
`signet.process.recording` takes it once in a while and writes it in one transaction.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import structlog

from signet import clock
from signet.observe import metrics
from signet.observe.redact import redact
from signet.observe.taxonomy import Code

MAX_ERRORS = 500
MAX_EVENTS = 5_000
MAX_OUTCOMES = 100
#: Names that are counted between two writes; those of further callers are counted together.
MAX_NAMES = 2_000
OTHER = "(other)"
MESSAGE_CHARS = 1_000
#: Longest text that a property of an event may be: names of models and codes, never a sentence (TL-3).
PROPERTY_CHARS = 120

Property = str | float | bool | None


class Event(StrEnum):
    """What is told of the work on this machine; kept on this machine."""

    LLM_GENERATE = "llm.generate"
    PIPELINE_EXTRACTION = "pipeline.extraction"
    PIPELINE_DECISION = "pipeline.decision"
    PIPELINE_EMBEDDING = "pipeline.embedding"
    PIPELINE_ERROR = "pipeline.error"
    SESSION_START = "session.start"
    SESSION_END = "session.end"
    DAEMON_HEARTBEAT = "daemon.heartbeat"
    RECALL_PERFORMED = "recall.performed"


#: The only properties that are kept, by event (analytics-telemetry.md §2).
PROPERTIES: Mapping[Event, frozenset[str]] = {
    Event.LLM_GENERATE: frozenset(
        "provider inputTokens outputTokens cacheReadTokens cacheCreationTokens totalCost durationMs success"
        " errorCode".split()
    ),
    Event.PIPELINE_EXTRACTION: frozenset(
        "factCount entityCount warningCount durationMs model".split()
    ),
    Event.PIPELINE_DECISION: frozenset("proposals applied skipped blocked durationMs".split()),
    Event.PIPELINE_EMBEDDING: frozenset("provider model count durationMs success".split()),
    Event.PIPELINE_ERROR: frozenset("stage code durationMs".split()),
    Event.SESSION_START: frozenset("harness memories identityFiles".split()),
    Event.SESSION_END: frozenset("harness chars queued".split()),
    Event.DAEMON_HEARTBEAT: frozenset(
        "uptimeMs memoryCount connectorsActive pipelineMode extractionProvider embeddingProvider".split()
    ),
    Event.RECALL_PERFORMED: frozenset("type results latencyMs truncated".split()),
}


class Count(StrEnum):
    """What is counted by name: of a caller, or of a connector."""

    REQUESTS = "requests"
    REMEMBERS = "remembers"
    RECALLS = "recalls"
    MUTATIONS = "mutations"
    SYNCS = "syncs"
    SYNC_ERRORS = "errors"
    DOCUMENTS = "documentsProcessed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenError:
    """One error, its message redacted."""

    at: datetime
    code: Code
    message: str
    request_id: str | None
    memory_id: str | None
    actor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenEvent:
    """One event with its flat properties."""

    at: datetime
    event: Event
    properties: Mapping[str, Property]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenOutcome:
    """What came of one call of a provider; `kind` is llm or embedding."""

    at: datetime
    provider: str
    kind: str
    outcome: str
    error: str | None


@dataclass(slots=True, kw_only=True)
class Seen:
    """What was noted since the last time that somebody took it."""

    errors: deque[SeenError] = field(default_factory=lambda: deque(maxlen=MAX_ERRORS))
    events: deque[SeenEvent] = field(default_factory=lambda: deque(maxlen=MAX_EVENTS))
    outcomes: deque[SeenOutcome] = field(default_factory=lambda: deque(maxlen=MAX_OUTCOMES))
    counts: Counter[tuple[Count, str]] = field(default_factory=Counter)
    #: When the first of these events was noted (monotonic).
    since: float | None = None
    #: Events that had to make room for later ones.
    dropped: int = 0

    def __bool__(self) -> bool:
        return self.is_urgent or bool(self.events)

    @property
    def is_urgent(self) -> bool:
        """Return whether something waits that is shown within two seconds."""
        return bool(self.errors or self.outcomes or self.counts)


class Pending:
    """The notes of one process; for any thread."""

    def __init__(self) -> None:
        self._seen = Seen()
        self._lock = threading.Lock()
        #: Set while there is something.
        self.is_there = threading.Event()

    def count(self, what: Count, name: str, by: int = 1) -> None:
        """Count for a caller or a connector."""
        with self._lock:
            counts = self._seen.counts
            is_one_more = (what, name) not in counts and len(counts) >= MAX_NAMES
            counts[what, OTHER if is_one_more else name] += by
            self.is_there.set()

    def error(self, seen: SeenError) -> None:
        """Keep an error."""
        with self._lock:
            self._seen.errors.append(seen)
            self.is_there.set()

    def outcome(self, seen: SeenOutcome) -> None:
        """Keep the outcome of a call."""
        with self._lock:
            self._seen.outcomes.append(seen)
            self.is_there.set()

    def event(self, seen: SeenEvent) -> None:
        """Keep an event."""
        with self._lock:
            self._seen.dropped += len(self._seen.events) == MAX_EVENTS
            self._seen.events.append(seen)
            self._seen.since = self._seen.since or time.monotonic()
            self.is_there.set()

    def look(self) -> tuple[bool, int, float]:
        """Return whether something is urgent, the number of events, and for how long the first one waits (s)."""
        with self._lock:
            since = self._seen.since
            waited = 0.0 if since is None else time.monotonic() - since
            return self._seen.is_urgent, len(self._seen.events), waited

    def take(self) -> Seen:
        """Return what was noted, and begin anew."""
        with self._lock:
            taken, self._seen = self._seen, Seen()
            self.is_there.clear()
            return taken

    def put_back(self, taken: Seen) -> None:
        """Keep what could not be written, before what was noted since, within the bounds."""
        with self._lock:
            now = self._seen
            taken.errors.extend(now.errors)
            taken.events.extend(now.events)
            taken.outcomes.extend(now.outcomes)
            taken.counts.update(now.counts)
            taken.since = taken.since or now.since
            taken.dropped += now.dropped
            self._seen = taken
            self.is_there.set()


#: The one of this process, as the metrics are.
PENDING = Pending()


def error(
    code: Code,
    message: str,
    *,
    memory_id: str | None = None,
    duration_ms: float | None = None,
) -> None:
    """Note an error; the request, memory and caller that it belongs to are known from the context."""
    context = structlog.contextvars.get_contextvars()
    metrics.ERRORS.labels(code.stage, code).inc()
    PENDING.error(
        SeenError(
            at=clock.now(),
            code=code,
            message=redact(message)[:MESSAGE_CHARS],
            request_id=context.get("request_id"),
            memory_id=memory_id or context.get("memory_id"),
            actor=context.get("actor"),
        )
    )
    event(Event.PIPELINE_ERROR, stage=code.stage, code=code, durationMs=duration_ms)


def event(kind: Event, /, **properties: Property) -> None:
    """Note an event; properties that its kind does not have are left out, long texts are cut."""
    known = PROPERTIES[kind]
    kept = {name: _short(value) for name, value in properties.items() if name in known}
    PENDING.event(SeenEvent(at=clock.now(), event=kind, properties=kept))


def count(what: Count, name: str, by: int = 1) -> None:
    """Count for a caller or a connector, by name."""
    PENDING.count(what, name, by)


def outcome(provider: str, kind: str, outcome: str, error: str | None) -> None:
    """Note what came of one call of a provider."""
    text = None if error is None else redact(error)[:MESSAGE_CHARS]
    PENDING.outcome(
        SeenOutcome(at=clock.now(), provider=provider, kind=kind, outcome=outcome, error=text)
    )


def _short(value: Property) -> Property:
    return value[:PROPERTY_CHARS] if isinstance(value, str) else value
