"""Checkpoints that wait a moment for others of their session, so that a burst of prompts is one row."""

import threading

from signet.domain.checkpoints.models import MERGE_SECONDS, Checkpoint, merged


class Pending:
    """What waits, by agent and session; for any thread. Times are monotonic seconds, handed in."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[float, Checkpoint]] = {}
        self._lock = threading.Lock()

    def add(self, checkpoint: Checkpoint, *, at: float) -> float:
        """Keep a checkpoint, as one with what waits of its session; return when it is due."""
        key = (checkpoint.agent_id, checkpoint.session_key)
        with self._lock:
            due, before = self._waiting.get(key, (at + MERGE_SECONDS, None))
            self._waiting[key] = (due, merged(before, checkpoint) if before else checkpoint)
            return due

    def take(self, *, at: float | None = None) -> list[Checkpoint]:
        """Return what is due at an instant, all of it without one, and let go of it."""
        with self._lock:
            keys = [key for key, (due, _) in self._waiting.items() if at is None or due <= at]
            return [self._waiting.pop(key)[1] for key in keys]
