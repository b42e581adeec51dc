"""What the command line prints: results on stdout, everything else on stderr, colour only for people.

Colour never carries meaning alone. It is off when the stream is no terminal, with NO_COLOR, and with TERM=dumb.
`--quiet` leaves results and errors.
"""

import functools
import json
import os
import re
import shlex
import shutil
import sys
import time
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Self, TextIO

from signet import clock
from signet.text import controls

#: Lines of text are not drawn wider than this, however wide the terminal is.
MAX_WIDTH = 120
BAR_CHARS = 28
#: No progress is shown of what is over sooner, and a plain line so often where nothing can be drawn again.
QUIET_SECONDS = 0.3
PLAIN_SECONDS = 3.0
#: Set by `--quiet` for this process, as `--no-color` sets NO_COLOR.
QUIET = "SIGNET_QUIET"
#: A command of ours in a text: the word before a command or option, in colour or not, and not part of a path.
_COMMAND = re.compile(r"(?:(?<=\x1b\[\dm)|(?<=\x1b\[3\dm)|(?<![\w./~-]))signet(?= [a-z-])")


@dataclass(frozen=True, slots=True)
class Ink:
    """Writes words in colour, or as they are."""

    on: bool

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text

    bold = functools.partialmethod(_in, "1")
    dim = functools.partialmethod(_in, "2")
    good = functools.partialmethod(_in, "32")
    warn = functools.partialmethod(_in, "33")
    bad = functools.partialmethod(_in, "31")
    name = functools.partialmethod(_in, "36")


def ink(stream: TextIO) -> Ink:
    """Return the ink for a stream."""
    return Ink(is_live(stream) and not os.environ.get("NO_COLOR"))


def is_live(stream: TextIO) -> bool:
    """Return whether the stream is a terminal on which lines can be drawn again."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def can_ask() -> bool:
    """Return whether a person sits at a terminal who can answer a question: nothing may wait for one otherwise."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def width() -> int:
    """Return how many columns a line may have."""
    return min(MAX_WIDTH, shutil.get_terminal_size((100, 24)).columns)


def say(text: str = "") -> None:
    """Print a line of the result; nothing in it steers a terminal, whoever stored it."""
    sys.stdout.write(f"{_safe(text, sys.stdout)}\n")


def advise(text: str) -> None:
    """Print a line of the result that names commands of ours."""
    say(runnable(text))


def tell(text: str) -> None:
    """Print a line beside the result."""
    sys.stderr.write(f"{_safe(text, sys.stderr)}\n")
    sys.stderr.flush()


def show(value: object) -> None:
    """Print one JSON value."""
    sys.stdout.write(f"{controls.escaped(json.dumps(value, ensure_ascii=False))}\n")


def _safe(text: str, stream: TextIO) -> str:
    return controls.clean_but_colour(text) if ink(stream).on else controls.clean(text)


def failed(message: str, code: str, *, as_json: bool) -> None:
    """Print why a command failed, as `error: …` or as JSON."""
    if as_json:
        show({"error": message, "code": code})
    else:
        tell(f"{ink(sys.stderr).bad('error:')} {runnable(controls.clean(message))}")


def hint(text: str) -> None:
    """Print what to do next, unless quiet."""
    if not is_quiet():
        tell(ink(sys.stderr).dim(runnable(text)))


def masked(kinds: Collection[str]) -> str:
    """Return what is said of secrets that were replaced in what was saved, in a line of its own; empty for none."""
    return f"\nMasked: {', '.join(kinds)}. To store a secret: signet secret put" if kinds else ""


def rest(offset: int, shown: int, total: int | None, more: str) -> bool:
    """Say which part of a list was printed, and `more`, the command for the next part; False at the end of the list."""
    end = offset + shown
    if total is None or end >= total:
        return False
    hint(f"{offset + 1} to {end} of {total}. More: {more} --offset {end}")
    return True


def flags(options: Mapping[str, object]) -> str:
    """Return the options of a command as they are typed, each behind a blank; those without a value are left out."""
    return "".join(
        f" --{name} {shlex.quote(str(value))}"
        for name, value in options.items()
        if value is not None
    )


def runnable(text: str) -> str:
    """Return a text of ours with each command `signet …` written as it works in the shell of its reader."""
    return _COMMAND.sub(lambda _: program(), text)


@functools.cache
def program() -> str:
    """Return how this very program is called: `signet` where the shell finds it by that name, else its place."""
    called = Path(sys.argv[0])
    own = called if called.name == "signet" else Path(sys.executable).with_name("signet")
    if not own.is_file():
        return f"{shlex.quote(sys.executable)} -m signet.cli.main"
    found = shutil.which("signet")
    if found is not None and own.samefile(found):
        return "signet"
    place = os.path.relpath(own) if own.absolute().is_relative_to(_here()) else str(own.absolute())
    return shlex.quote(place if "/" in place else f"./{place}")


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was deleted
        return Path("/nowhere")


def is_quiet() -> bool:
    """Return whether only results and errors are wanted."""
    return bool(os.environ.get(QUIET))


class Passing:
    """A line on stderr that is drawn again and again, and takes itself away at the end.

    Where nothing can be drawn again, each text is a line of its own.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.is_live = is_live(sys.stderr)
        self._quiet = quiet or is_quiet()
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def show(self, text: str) -> None:
        """Draw the text in place of the one before."""
        if self._quiet:
            return
        if self.is_live:
            sys.stderr.write(f"\r\x1b[K  {_safe(text, sys.stderr)}")
            sys.stderr.flush()
            self._drawn = True
        else:
            tell(text)


class Progress(Passing):
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
        drawn = bar(done, total, ink(sys.stderr))
        took = ink(sys.stderr).dim(f"{seconds:.1f} s")
        return f"{self._title}  {drawn}  {done} of {total} {self._unit}  {took}"


def bar(done: int, total: int, ink: Ink) -> str:
    """Return a bar of BAR_CHARS cells."""
    filled = BAR_CHARS * done // max(total, 1)
    return ink.good("━" * filled) + ink.dim("━" * (BAR_CHARS - filled))


def plain(text: str) -> str:
    """Return a stored text on one line, without what would steer a terminal."""
    return " ".join(controls.clean(text).split())


def path(stored: str) -> str:
    """Return a path on one line, with the home folder as `~`."""
    home = str(Path.home())
    is_inside = stored == home or stored.startswith(f"{home}/")
    return plain(f"~{stored[len(home) :]}" if is_inside else stored)


def short(text: str, chars: int) -> str:
    """Return a text on one line, on a terminal cut to so many characters with `…`; elsewhere nothing is cut."""
    line = plain(text)
    if len(line) <= chars or not is_live(sys.stdout):
        return line
    return line[: chars - 1].rstrip() + "…"


def wrapped(text: str, room: int) -> list[str]:
    """Return a text as lines that fit into so many cells, on a terminal; as one line elsewhere."""
    if not is_live(sys.stdout):
        return [text]
    lines = [""]
    for word in text.split():
        gap = " " if lines[-1] else ""
        if cells(lines[-1] + gap + word) <= room:
            lines[-1] += gap + word
        elif cells(word) <= room:
            lines.append(word)
        else:
            # A word longer than a line, such as any sentence of Chinese: it is cut where the line ends.
            lines[-1] += gap
            for letter in word:
                if cells(lines[-1] + letter) > room:
                    lines.append("")
                lines[-1] += letter
    return [line.rstrip() for line in lines]


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a wide letter, none for an accent upon one."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def table(rows: Sequence[Sequence[str]], otherwise: str) -> Iterator[str]:
    """Yield each row as a line, its first cell in a column, without its empty cells; `otherwise` when there is none."""
    if not rows:
        yield runnable(otherwise)
    names = [plain(name) for name, *_ in rows]
    width = max(map(cells, names), default=0)
    for name, (_, *others) in zip(names, rows, strict=True):
        column = ink(sys.stdout).name(name) + " " * (width - cells(name))
        yield "  ".join([column, *filter(None, others)]).rstrip()


def paragraphs(text: str, indent: int) -> list[str]:
    """Return a text of several lines as lines that fit behind an indent."""
    return [line for raw in text.splitlines() for line in wrapped(plain(raw), width() - indent)]


def count(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an s; `memory` becomes `memories`."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun}"


def size(number: float) -> str:
    """Return a number of bytes in its largest unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1_000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1_000
    return f"{number:.1f} TB"


def local(instant: str) -> str:
    """Return an instant as local date and time."""
    return clock.parse(instant).astimezone().strftime("%Y-%m-%d %H:%M")


def day(instant: str) -> str:
    """Return the local date of an instant."""
    return local(instant)[:10]


def last_day(end: str) -> str:
    """Return the local date on which a time is over that ends before this instant."""
    return (clock.parse(end) - timedelta(milliseconds=1)).astimezone().strftime("%Y-%m-%d")


def ago(instant: str) -> str:
    """Return how long ago an instant is."""
    return f"{span(max((clock.now() - clock.parse(instant)).total_seconds(), 0))} ago"


def span(seconds: float) -> str:
    """Return a length of time in its two largest units."""
    whole = int(seconds)
    for size, large, small, part in ((86_400, "d", "h", 3_600), (3_600, "h", "min", 60)):
        if whole >= size:
            return f"{whole // size} {large} {whole % size // part} {small}"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
