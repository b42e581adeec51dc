"""How the daemon does its work: diagnostics, repairs, what happened, what it costs."""

from collections.abc import Sequence
from typing import Any, Literal

from signet.client.call import Body, Call, part
from signet.client.method import asks, method
from signet.wire import analytics, pipeline, telemetry
from signet.wire import diagnostics as health
from signet.wire import logs as log
from signet.wire.repair import Repaired


class OperationCalls:
    """How the daemon does its work: diagnostics, repairs, what happened, what it costs."""

    @asks(health.DIAGNOSTICS)
    def diagnostics(self) -> health.Diagnoses:
        """Return how well each part of the daemon is, and why."""

    @asks(health.DIAGNOSIS)
    def diagnosis(self, domain: str) -> health.Diagnosis:
        """Return how well one part is, such as queue or index; raises Invalid for an unknown one."""

    @method
    def repair(self, /, action: str, **options: Any) -> Call[Repaired]:
        """Run a repair by its name, such as check-fts or re-embed; raises NotFound for an unknown one.

        Options are the fields of its request; one that works in the background says so in `details`.
        """
        return Call(method="POST", path=f"/api/repair/{part(action)}", body=options)

    @asks(analytics.TIMELINE)
    def timeline(self, entity_id: str) -> analytics.Timeline:
        """Return what happened to a memory, a session or a request, in order."""

    @asks(pipeline.MODELS)
    def models(self, *, provider: str | None = None, deprecated: bool = False) -> pipeline.Models:
        """Return the models that can be chosen to read texts, and how new the list is.

        `deprecated` adds those that others have replaced.
        """

    @asks(pipeline.REFRESH_MODELS)
    def refresh_models(self) -> pipeline.RefreshedModels:
        """Ask the configured Ollama server for its models; raises RateLimited within a minute of the last time."""

    @asks(telemetry.TELEMETRY_EVENTS)
    def telemetry_events(
        self,
        *,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 100,
    ) -> telemetry.TelemetryPage:
        """Return what was noted of the work, latest first; it never leaves the machine."""

    @asks(telemetry.TELEMETRY_STATS)
    def telemetry_stats(self, *, since: str | None = None) -> telemetry.TelemetryStats:
        """Return what the noted work comes to: calls of models, tokens, errors."""

    @asks(analytics.USAGE)
    def usage(self) -> analytics.Usage:
        """Return how often each route was asked, by whom, and with how many errors."""

    @asks(analytics.LATENCY)
    def latency(self) -> dict[str, dict[str, float]]:
        """Return how long operations take, in milliseconds: p50, p95, p99, mean."""

    @asks(analytics.SERIES)
    def series(
        self,
        *,
        metrics: str | Sequence[str] | None = None,
        step: Literal["10min", "hour", "day"] | None = None,
        count: int | None = None,
        tz: str | None = None,
    ) -> analytics.Series:
        """Return how much happened in each of the last ten minutes, hours or days of a time zone; raises Invalid."""

    @asks(analytics.ERRORS)
    def errors(self, *, limit: int | None = None) -> analytics.Errors:
        """Return the newest errors, and how many there are of each code."""

    @asks(log.LOGS, pick=lambda found: found["logs"])
    def logs(
        self,
        *,
        level: str | None = None,
        category: str | None = None,
        since: str | None = None,
        limit: int = 100,
    ) -> list[Body]:
        """Return the newest lines of the log."""
