"""The sessions that harnesses kept on the daemon's machine: what there is, reading them, how far that is."""

from collections.abc import Sequence

from signet.client.method import asks
from signet.wire import backfill as wire


class BackfillCalls:
    """The sessions that harnesses kept on the daemon's machine: what there is, reading them, how far that is."""

    @asks(wire.BACKFILL)
    def backfill_status(self) -> wire.Backfill:
        """Return how far the last run is."""

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
        """Queue the reading of sessions that are not read yet, newest first, and return what there is.

        With `dry_run` nothing is queued; with `by_model` the configured model finds the facts. Raises Invalid for an
        unknown harness.
        """

    @asks(wire.STOP_BACKFILL, is_safe=True)
    def stop_backfill(self) -> wire.StoppedBackfill:
        """Read no more sessions; what was read stays."""
