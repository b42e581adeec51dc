"""The lines that say what was done and how long it took."""

import sys
import time

from signet.cli import output

_NAME_CHARS = 11
_TIME_CHARS = 7
#: A step's text gets at least this much room before its time.
_TEXT_CHARS = 50


class Steps:
    """Times one step after the other and says what came of each; a quiet one only times."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.seconds: dict[str, float] = {}
        self._ink = output.ink(sys.stdout)
        self._since = time.monotonic()

    def done(self, name: str, text: str) -> None:
        """Say that a step has succeeded."""
        self._line(self._ink.good("✓"), name, text)

    def lacking(self, name: str, text: str) -> None:
        """Say that a step could not do everything, and that it goes on without."""
        self._line(self._ink.warn("!"), name, text)

    def _line(self, mark: str, name: str, text: str) -> None:
        now = time.monotonic()
        took, self._since = now - self._since, now
        self.seconds[name.lower()] = round(took, 3)
        if self.quiet:
            return
        room = max(_TEXT_CHARS, output.width() - _NAME_CHARS - _TIME_CHARS - 6)
        first, *more = output.wrapped(output.runnable(text), room)
        seconds = self._ink.dim(f"{took:.1f} s".rjust(_TIME_CHARS))
        output.say(f"  {mark} {self._ink.bold(f'{name:<{_NAME_CHARS}}')}{first:<{room}}{seconds}")
        for line in more:
            output.say(" " * (_NAME_CHARS + 4) + line)
        sys.stdout.flush()
