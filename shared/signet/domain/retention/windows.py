"""How long things are kept. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """How long each kind of thing is kept after its end."""

    tombstones: timedelta = timedelta(days=30)
    history: timedelta = timedelta(days=180)
    completed_jobs: timedelta = timedelta(days=14)
    dead_jobs: timedelta = timedelta(days=30)
    #: No setting changes these; few sessions are held out, so that outcomes are compared over a long time.
    session_memories: timedelta = timedelta(days=90)
    outcomes: timedelta = timedelta(days=730)
    telemetry: timedelta = timedelta(days=90)
    checkpoints: timedelta = timedelta(days=7)

    @classmethod
    def of(cls, wanted: Settings) -> "Windows":
        """Return the windows that the settings ask for."""
        settings, pipeline = wanted.retention, wanted.pipeline
        return cls(
            telemetry=timedelta(days=pipeline.telemetry.retention_days),
            checkpoints=timedelta(days=pipeline.continuity.retention_days),
            tombstones=timedelta(milliseconds=settings.tombstone_retention_ms),
            history=timedelta(milliseconds=settings.history_retention_ms),
            completed_jobs=timedelta(milliseconds=settings.completed_job_retention_ms),
            dead_jobs=timedelta(milliseconds=settings.dead_job_retention_ms),
        )


def cutoff(now: datetime, window: timedelta) -> str:
    """Return the stored time before which a window has passed; what ended just then is still inside."""
    return clock.to_text(now - window)
