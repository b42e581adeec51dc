"""`signet jobs watch`: show job progress, redrawn for people or as JSON events for programs."""

import sys
import time
from typing import Self

from signet.cli import output, work
from signet.client import Signet
from signet.client.answers import PipelineStatus

#: Seconds between updates on a terminal.
LOOK_SECONDS = 0.5
#: Seconds between plain lines where nothing can be redrawn.
PLAIN_SECONDS = 3.0
#: Seconds without progress after which the jobs count as stuck.
PATIENCE_SECONDS = 60.0


class Meter:
    """Progress since the first poll, and whether anything is left to wait for."""

    def __init__(self, signet: Signet, *, follow: bool) -> None:
        self._signet = signet
        self._follow = follow
        self._began = self._moved = time.monotonic()
        self.pipeline: PipelineStatus = signet.pipeline_status()
        self._first = self._completed

    @property
    def _completed(self) -> int:
        return int(self.pipeline["queues"]["memory"]["completed"])

    @property
    def done(self) -> int:
        """Return how many jobs completed since the start."""
        return max(0, self._completed - self._first)

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    def refresh(self) -> None:
        """Request the current state."""
        before, self.pipeline = self.pipeline, self._signet.pipeline_status()
        if before["queues"] != self.pipeline["queues"]:
            self._moved = time.monotonic()

    @property
    def is_over(self) -> bool:
        """Return whether no job can run now."""
        if self._follow:
            return False
        is_stuck = time.monotonic() - self._moved > PATIENCE_SECONDS
        return self.pipeline["paused"] or not work.left(self.pipeline).open or is_stuck


class Board:
    """Lines on stderr that are redrawn, and removed at the end."""

    def __init__(self) -> None:
        self._lines = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lines:
            self.draw([])

    def draw(self, lines: list[str]) -> None:
        """Replace the current lines."""
        back = f"\x1b[{self._lines}A" if self._lines else ""
        try:
            sys.stderr.write(f"\r{back}\x1b[J" + "".join(f"{line}\n" for line in lines))
            sys.stderr.flush()
        finally:  # Ctrl-C during a write to the terminal
            self._lines = len(lines)


def drawn(signet: Signet, *, follow: bool) -> None:
    """Draw the progress until all is done, then print the rest."""
    meter = Meter(signet, follow=follow)
    ink = output.ink(sys.stderr)
    said = 0.0
    with Board() as board:
        while not meter.is_over:
            if output.is_live(sys.stderr) and not output.is_quiet():
                board.draw(_lines(meter, ink))
            elif meter.seconds - said >= PLAIN_SECONDS and not output.is_quiet():
                said = meter.seconds
                output.tell(_plain(meter))
            time.sleep(LOOK_SECONDS)
            meter.refresh()
    output.say(f"{output.count(meter.done, 'job')} done in {meter.seconds:.1f} s")
    left = work.left(meter.pipeline)
    if left.open:
        output.advise(f"{left.open} still open. See: signet jobs list --status pending")
    if left.stopped:
        output.say(f"{left.stopped} wait")
    for reason in work.why(meter.pipeline):
        output.advise(reason[0].upper() + reason[1:])


def print_events(signet: Signet, *, follow: bool) -> None:
    """Print each event as a line of JSON, and the counts before and after."""
    # Subscribe before the first poll, so that no event is lost.
    with signet.job_events() as events:
        event = None
        meter = Meter(signet, follow=follow)
        _tell(meter, "watching")
        looked = time.monotonic()
        while event is not None or not meter.is_over:
            if event is not None:
                output.show(event)
                sys.stdout.flush()
            event = events.wait(LOOK_SECONDS)
            if time.monotonic() - looked >= LOOK_SECONDS:
                meter.refresh()
                looked = time.monotonic()
    _tell(meter, "summary")


def _tell(meter: Meter, event: str) -> None:
    left, totals = work.left(meter.pipeline), meter.pipeline["queues"]["memory"]
    output.show(
        {
            "event": event,
            "completed": meter.done,
            "open": left.open,
            "waiting": left.stopped,
            "dead": totals["dead"],
            "paused": meter.pipeline["paused"],
            "why": work.why(meter.pipeline),
        }
    )
    sys.stdout.flush()


def _lines(meter: Meter, ink: output.Ink) -> list[str]:
    left = work.left(meter.pipeline)
    total = meter.done + left.open + left.stopped
    counted = f"{output.bar(meter.done, total, ink)}  {meter.done} of {total} jobs"
    lines = [
        f"Working  {counted}  {ink.dim(f'{meter.seconds:.0f} s')}",
        "",
        *work.table(meter.pipeline, ink),
    ]
    lines += [ink.warn(f"! {reason}") for reason in work.why(meter.pipeline)]
    if (error := work.last_error(meter.pipeline)) is not None:
        lines.append(ink.dim(error))
    # A line that wraps to two would be redrawn only half.
    return [f"  {line}" if line else line for line in lines]


def _plain(meter: Meter) -> str:
    left = work.left(meter.pipeline)
    text = f"Working: {meter.done} done, {left.open + left.stopped} to go"
    reasons = "; ".join(work.why(meter.pipeline))
    return f"{text} ({reasons})" if reasons else text
