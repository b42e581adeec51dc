"""How the daemon does its work: diagnostics, repairs, what happened, what it costs."""

from typing import Any

from signet.client.call import Body, Call, ask, part
from signet.client.method import method
from signet.wire import analytics, diagnostics, logs, pipeline, telemetry
from signet.wire.analytics import Errors, Timeline, Usage
from signet.wire.diagnostics import Diagnoses, Diagnosis
from signet.wire.pipeline import Models, RefreshedModels
from signet.wire.repair import Repaired
from signet.wire.telemetry import TelemetryPage, TelemetryStats


class OperationCalls:
    """How the daemon does its work: diagnostics, repairs, what happened, what it costs."""

    @method
    def diagnostics(self) -> Call[Diagnoses]:
        """Return how well each part of the daemon is, and why."""
        return ask(diagnostics.DIAGNOSTICS)

    @method
    def diagnosis(self, domain: str) -> Call[Diagnosis]:
        """Return how well one part is, such as queue or index; raises Invalid for an unknown one."""
        return ask(diagnostics.DIAGNOSIS, domain)

    @method
    def repair(self, /, action: str, **options: Any) -> Call[Repaired]:
        """Run a repair by its name, such as check-fts or re-embed; raises NotFound for an unknown one.

        Options are the fields of its request; one that works in the background says so in `details`.
        """
        return Call(method="POST", path=f"/api/repair/{part(action)}", body=options)

    @method
    def timeline(self, entity_id: str) -> Call[Timeline]:
        """Return what happened to a memory, a session or a request, in order."""
        return ask(analytics.TIMELINE, entity_id)

    @method
    def models(self, *, provider: str | None = None, deprecated: bool = False) -> Call[Models]:
        """Return the models that can be chosen to read texts, and how new the list is.

        `deprecated` adds those that others have replaced.
        """
        wanted = "true" if deprecated else None
        return ask(pipeline.MODELS, provider=provider, deprecated=wanted)

    @method
    def refresh_models(self) -> Call[RefreshedModels]:
        """Ask the configured Ollama server for its models; raises RateLimited within a minute of the last time."""
        return ask(pipeline.REFRESH_MODELS)

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
        return ask(telemetry.TELEMETRY_EVENTS, event=event, since=since, until=until, limit=limit)

    @method
    def telemetry_stats(self, *, since: str | None = None) -> Call[TelemetryStats]:
        """Return what the noted work comes to: calls of models, tokens, errors."""
        return ask(telemetry.TELEMETRY_STATS, since=since)

    @method
    def usage(self) -> Call[Usage]:
        """Return how often each route was asked, by whom, and with how many errors."""
        return ask(analytics.USAGE)

    @method
    def latency(self) -> Call[dict[str, dict[str, float]]]:
        """Return how long operations take, in milliseconds: p50, p95, p99, mean."""
        return ask(analytics.LATENCY)

    @method
    def errors(self, *, limit: int | None = None) -> Call[Errors]:
        """Return the newest errors, and how many there are of each code."""
        return ask(analytics.ERRORS, limit=limit)

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
        return ask(logs.LOGS, level=level, category=category, since=since, limit=limit).picking(
            lambda found: found["logs"]
        )
