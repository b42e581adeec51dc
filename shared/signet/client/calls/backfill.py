"""Read earlier sessions of the harnesses on the daemon's machine."""

from collections.abc import Sequence

from signet.client.method import asks
from signet.wire import backfill as wire


class BackfillCalls:
    """Read earlier sessions of the harnesses on the daemon's machine."""

    @asks(wire.BACKFILL)
    def backfill_status(self) -> wire.Backfill:
        """Return the progress of the last run."""

    @asks(wire.START_BACKFILL, is_safe=True)
    def backfill(
        self,
        *,
        since: str | None = None,
        harnesses: Sequence[str] | None = None,
        projects: Sequence[str] | None = None,
        by_model: bool = False,
        dry_run: bool = False,
        agent_id: str | None = None,
    ) -> wire.StartedBackfill:
        """Queue unread sessions, newest first, and return the list.

        `dry_run` queues nothing; with `by_model` the configured model extracts the facts. Raises Invalid for an
        unknown harness.
        """

    @asks(wire.STOP_BACKFILL, is_safe=True)
    def stop_backfill(self) -> wire.StoppedBackfill:
        """Stop reading sessions; keep those already read."""
