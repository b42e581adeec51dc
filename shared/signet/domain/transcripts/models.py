"""A session that has ended, or goes on, and what was queued for it."""

from dataclasses import dataclass

from signet.config import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a harness hands over of a session; `text` is normalized and may be empty."""

    agent_id: str
    key: str
    harness: str
    project: str | None
    text: str
    #: A turn has handed it over, and the session goes on (see merge.py).
    is_turn: bool = False
    #: The steps of its log as they are stored (see steps.py).
    steps: str = ""
    #: The kinds of secrets that were replaced in the text.
    masked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A transcript as it is stored; `created_at` is when its first part came in."""

    content: str
    project: str | None
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The settings that the end of a session depends on."""

    #: Whether sessions are distilled at all; in shadow mode the job waits (JOB-20).
    distil: bool = True
    attempts: int = 3

    @classmethod
    def of(cls, settings: Settings) -> "Rules":
        """Return what the settings say."""
        pipeline = settings.pipeline
        return cls(distil=pipeline.enabled, attempts=pipeline.worker.max_retries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """The job that distils a session; not `is_open` when it was done before and nothing has been said since."""

    job_id: str
    is_open: bool = True
