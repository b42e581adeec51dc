"""One line that moves on a terminal, and a plain line every few seconds elsewhere."""

import sys
import time

from signet.cli import output

#: Nothing is shown of what is over sooner.
QUIET_SECONDS = 0.3
#: How often a plain line is written where nothing can be drawn again.
PLAIN_SECONDS = 3.0


class Progress(output.Passing):
    """Draws on stderr how much of something is done."""

    def __init__(self, title: str, *, quiet: bool, unit: str = "jobs") -> None:
        super().__init__(quiet=quiet)
        self._title = title
        self._unit = unit
        self._began = self._said = time.monotonic()

    def count(self, done: int, total: int) -> None:
        """Say that so many of so many are done."""
        now = time.monotonic()
        if now - self._began < QUIET_SECONDS:
            return
        if self.is_live:
            self.show(self._bar(done, total, now - self._began))
        elif now - self._said >= PLAIN_SECONDS:
            self._said = now
            self.show(f"{self._title}: {done} of {total} {self._unit}")

    def _bar(self, done: int, total: int, seconds: float) -> str:
        ink = output.ink(sys.stderr)
        bar = output.bar(done, total, ink)
        return (
            f"{self._title}  {bar}  {done} of {total} {self._unit}  {ink.dim(f'{seconds:.1f} s')}"
        )
