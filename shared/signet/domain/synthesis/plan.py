"""When MEMORY.md is written, and the settings it depends on. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from signet.config import Settings
from signet.config.sections import Schedule

#: The least time between two scheduled runs.
GAP = timedelta(hours=1)
EVERY = {Schedule.DAILY: timedelta(days=1), Schedule.WEEKLY: timedelta(days=7)}
#: The value of `memory.synthesis.max_tokens` in files without it.
LEGACY_MAX_TOKENS = 4_000
USUAL_MAX_TOKENS = 8_000
TOKEN_CHARS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    enabled: bool
    schedule: Schedule
    idle: timedelta
    max_tokens: int
    timeout_seconds: float
    decay_rate: float

    @classmethod
    def from_settings(cls, settings: Settings) -> "Plan":
        """Return the settings; an older key counts if only that is set (HK-103)."""
        synthesis, legacy = settings.pipeline.synthesis, settings.memory.synthesis
        is_older = (
            synthesis.max_tokens == USUAL_MAX_TOKENS and legacy.max_tokens != LEGACY_MAX_TOKENS
        )
        return cls(
            enabled=synthesis.enabled and settings.pipeline.enabled,
            schedule=legacy.schedule,
            idle=timedelta(minutes=synthesis.idle_gap_minutes),
            max_tokens=legacy.max_tokens if is_older else synthesis.max_tokens,
            timeout_seconds=synthesis.timeout_ms / 1000,
            decay_rate=settings.memory.decay_rate,
        )

    @property
    def chars(self) -> int:
        """The maximum length of the file, and of its sources."""
        return self.max_tokens * TOKEN_CHARS


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The state of an agent's file; without a write or request there are no instants."""

    last_run_at: datetime | None
    #: When the agent's first memory came.
    first_at: datetime | None
    has_news: bool
    is_running: bool = False
    #: Whether the last run had no answer, or one that was refused.
    has_failed: bool = False


def refusal(standing: Standing, *, now: datetime, by_hand: bool = False) -> str | None:
    """Return why no run may begin now, None if it may; by hand it may at once after a change or a failed run."""
    if standing.is_running:
        return "Synthesis already in progress"
    last = standing.last_run_at
    if by_hand and standing.has_failed:
        return None
    if not by_hand and last is not None and timedelta(0) <= now - last < GAP:
        return "The last run was less than an hour ago"
    return None if standing.has_news else "Nothing is new since the last run"


def is_due(plan: Plan, standing: Standing, *, active_at: datetime | None, now: datetime) -> bool:
    """Return whether the file should be written now: at the end of its day or week, and after a quiet period.

    `active_at` is the time of the last activity.
    """
    if not plan.enabled or refusal(standing, now=now):
        return False
    since = standing.last_run_at or standing.first_at
    every = EVERY.get(plan.schedule)
    is_over = every is not None and since is not None and now - since >= every
    return is_over or active_at is None or now - active_at >= plan.idle
