"""How long things are kept. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config.sections import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """How long each kind of thing is kept after its end; defaults of spec/pipeline.md §14."""

    tombstones: timedelta = timedelta(days=30)
    history: timedelta = timedelta(days=180)
    completed_jobs: timedelta = timedelta(days=14)
    dead_jobs: timedelta = timedelta(days=30)
    #: No setting: spec/schema-knowledge.md §6.
    session_memories: timedelta = timedelta(days=90)

    @classmethod
    def of(cls, settings: Retention) -> "Windows":
        """Return the windows that the settings ask for."""
        return cls(
            tombstones=timedelta(milliseconds=settings.tombstone_retention_ms),
            history=timedelta(milliseconds=settings.history_retention_ms),
            completed_jobs=timedelta(milliseconds=settings.completed_job_retention_ms),
            dead_jobs=timedelta(milliseconds=settings.dead_job_retention_ms),
        )


def cutoff(now: datetime, window: timedelta) -> str:
    """Return the stored time before which a window has passed; what ended just then is still inside."""
    return clock.to_text(now - window)
