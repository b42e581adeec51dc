"""How the daemon does its work: diagnostics, repairs, what happened, what it costs."""

from typing import Any

from signet.client.answers.operation import (
    Diagnoses,
    Diagnosis,
    Models,
    Repaired,
    TelemetryPage,
    TelemetryStats,
    Timeline,
)
from signet.client.call import Body, Call, part, read
from signet.client.method import method


class OperationCalls:
    """How the daemon does its work: diagnostics, repairs, what happened, what it costs."""

    @method
    def diagnostics(self) -> Call[Diagnoses]:
        """Return how well each part of the daemon is, and why."""
        return read("/api/diagnostics")

    @method
    def diagnosis(self, domain: str) -> Call[Diagnosis]:
        """Return how well one part is, such as queue or index; raises Invalid for an unknown one."""
        return read(f"/api/diagnostics/{part(domain)}")

    @method
    def repair(self, /, action: str, **options: Any) -> Call[Repaired]:
        """Run a repair by its name, such as check-fts or re-embed; raises NotFound for an unknown one.

        Options are the fields of its request; one that works in the background says so in `details`.
        """
        return Call(method="POST", path=f"/api/repair/{part(action)}", body=options)

    @method
    def timeline(self, entity_id: str) -> Call[Timeline]:
        """Return what happened to a memory, a session or a request, in order."""
        return read(f"/api/timeline/{part(entity_id)}")

    @method
    def models(self, *, provider: str | None = None, deprecated: bool = False) -> Call[Models]:
        """Return the models that can be chosen to read texts, and how new the list is.

        `deprecated` adds those that others have replaced.
        """
        wanted = "true" if deprecated else None
        return read("/api/pipeline/models", provider=provider, deprecated=wanted)

    @method
    def refresh_models(self) -> Call[Body]:
        """Ask the configured Ollama server for its models; raises RateLimited within a minute of the last time."""
        return Call(method="POST", path="/api/pipeline/models/refresh")

    @method
    def telemetry_events(
        self,
        *,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 100,
    ) -> Call[TelemetryPage]:
        """Return what was noted of the work, latest first; it never leaves the machine."""
        return read("/api/telemetry/events", event=event, since=since, until=until, limit=limit)

    @method
    def telemetry_stats(self, *, since: str | None = None) -> Call[TelemetryStats]:
        """Return what the noted work comes to: calls of models, tokens, errors."""
        return read("/api/telemetry/stats", since=since)

    @method
    def usage(self) -> Call[Body]:
        """Return how often each route was asked, by whom, and with how many errors."""
        return read("/api/analytics/usage")

    @method
    def latency(self) -> Call[dict[str, dict[str, float]]]:
        """Return how long operations take, in milliseconds: p50, p95, p99, mean."""
        return read("/api/analytics/latency")

    @method
    def errors(self, *, limit: int | None = None) -> Call[Body]:
        """Return the newest errors, and how many there are of each code."""
        return read("/api/analytics/errors", limit=limit)

    @method
    def logs(
        self,
        *,
        level: str | None = None,
        category: str | None = None,
        since: str | None = None,
        limit: int = 100,
    ) -> Call[list[Body]]:
        """Return the newest lines of the log."""
        return read(
            "/api/logs", pick="logs", level=level, category=category, since=since, limit=limit
        )
