"""Diagnostics, repairs, telemetry and logs."""

from collections.abc import Sequence
from typing import Any, Literal

from signet.client.call import Body, Call, part
from signet.client.method import asks, method
from signet.wire import analytics, pipeline, telemetry
from signet.wire import diagnostics as health
from signet.wire import logs as log
from signet.wire.repair import Repaired


class OperationCalls:
    """Diagnostics, repairs, telemetry and logs."""

    @asks(health.DIAGNOSTICS)
    def diagnostics(self) -> health.Diagnoses:
        """Return the health of each domain, with reasons."""

    @asks(health.DIAGNOSIS)
    def diagnosis(self, domain: str) -> health.Diagnosis:
        """Return the health of one domain, such as queue or index; raises Invalid for an unknown one."""

    @method
    def repair(self, /, action: str, **options: Any) -> Call[Repaired]:
        """Run a repair by name, such as check-fts or re-embed; raises NotFound for an unknown one.

        Options are the fields of its request; `details` reports that it continues in the background.
        """
        return Call(method="POST", path=f"/api/repair/{part(action)}", body=options)

    @asks(analytics.TIMELINE)
    def timeline(self, entity_id: str) -> analytics.Timeline:
        """Return the events of a memory, a session or a request, in order."""

    @asks(pipeline.MODELS)
    def models(self, *, provider: str | None = None, deprecated: bool = False) -> pipeline.Models:
        """Return the models for extraction, and the list's age.

        `deprecated` adds replaced models.
        """

    @asks(pipeline.REFRESH_MODELS)
    def refresh_models(self) -> pipeline.RefreshedModels:
        """Fetch the models of the configured Ollama server; raises RateLimited within a minute of the last time."""

    @asks(telemetry.TELEMETRY_EVENTS)
    def telemetry_events(
        self,
        *,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 100,
    ) -> telemetry.TelemetryPage:
        """Return telemetry events, latest first; they never leave the machine."""

    @asks(telemetry.TELEMETRY_STATS)
    def telemetry_stats(self, *, since: str | None = None) -> telemetry.TelemetryStats:
        """Return telemetry totals: model calls, tokens, errors."""

    @asks(analytics.USAGE)
    def usage(self) -> analytics.Usage:
        """Return the requests per route and caller, with errors."""

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
        """Return counts for each of the last ten minutes, hours or days of a time zone; raises Invalid."""

    @asks(analytics.ERRORS)
    def errors(self, *, limit: int | None = None) -> analytics.Errors:
        """Return the newest errors, and counts by code."""

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
