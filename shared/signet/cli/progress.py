"""One line that moves on a terminal, and a plain line every few seconds elsewhere."""

import sys
import time
from types import TracebackType

from signet.cli import output

#: Nothing is shown of what is over sooner.
QUIET_SECONDS = 0.3
#: How often a plain line is written where nothing can be drawn again.
PLAIN_SECONDS = 3.0
BAR_CHARS = 28


class Progress:
    """Draws on stderr how much of something is done; takes itself away at the end."""

    def __init__(self, title: str, *, quiet: bool, unit: str = "jobs") -> None:
        self._title = title
        self._quiet = quiet
        self._unit = unit
        self._live = output.is_live(sys.stderr)
        self._began = time.monotonic()
        self._said = self._began
        self._drawn = False

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def show(self, done: int, total: int) -> None:
        """Say that so many of so many are done."""
        now = time.monotonic()
        if self._quiet or now - self._began < QUIET_SECONDS:
            return
        if self._live:
            self._draw(done, total, now)
        elif now - self._said >= PLAIN_SECONDS:
            self._said = now
            output.tell(f"{self._title}: {done} of {total} {self._unit}")

    def _draw(self, done: int, total: int, now: float) -> None:
        ink = output.ink(sys.stderr)
        filled = BAR_CHARS * done // max(total, 1)
        bar = ink.good("━" * filled) + ink.dim("━" * (BAR_CHARS - filled))
        count = f"{done} of {total} {self._unit}"
        line = f"  {self._title}  {bar}  {count}  {ink.dim(f'{now - self._began:.1f} s')}"
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
        self._drawn = True
