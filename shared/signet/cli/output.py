"""Print results to stdout and everything else to stderr, with colour only for people.

Colour never carries meaning alone. It is off without a terminal, with NO_COLOR, and with TERM=dumb. `--quiet` keeps
results and errors.
"""

import functools
import io
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Self, TextIO

from signet import clock
from signet.text import controls, patterns, plural

#: Maximum width of text lines on a wide terminal.
MAX_WIDTH = 120
BAR_CHARS = 28
MEGABYTE = 1_000_000
#: Seconds before progress appears, and between plain progress lines where nothing can be redrawn.
QUIET_SECONDS = 0.3
PLAIN_SECONDS = 3.0
#: Set by `--quiet` for this process, as `--no-color` sets NO_COLOR.
QUIET = "SIGNET_QUIET"
#: Around a matched word while a text is wrapped: two characters for private use, of no width.
MARKS = "\ue000\ue001"
_MARKED = patterns.lazy(f"{MARKS[0]}([^{MARKS}]*){MARKS[1]}")
#: A `signet` command in a text: the word before a command or option, coloured or not, and not part of a path.
_COMMAND = patterns.lazy(r"(?:(?<=\x1b\[\dm)|(?<=\x1b\[3\dm)|(?<![\w./~-]))signet(?= [a-z-])")


#: Returns a number with its noun.
count = plural.count


class Ink:
    """Colour words, or return them unchanged."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text

    bold = functools.partialmethod(_in, "1")
    dim = functools.partialmethod(_in, "2")
    good = functools.partialmethod(_in, "32")
    warn = functools.partialmethod(_in, "33")
    bad = functools.partialmethod(_in, "31")
    name = functools.partialmethod(_in, "36")

    def marked(self, lines: Sequence[str]) -> list[str]:
        """Show the text between MARKS in bold, even across lines; without colour, drop the marks."""
        found, is_open = [], False
        for line in lines:
            begun = f"{MARKS[0]}{line}" if is_open else line
            is_open = begun.rfind(MARKS[0]) > begun.rfind(MARKS[1])
            begun += MARKS[1] if is_open else ""
            found.append(_MARKED.sub(lambda one: self.bold(one[1]), begun).strip(MARKS))
        return found


def ink(stream: TextIO) -> Ink:
    return Ink(is_live(stream) and not os.environ.get("NO_COLOR"))


def is_live(stream: TextIO) -> bool:
    """Return whether the stream is a terminal whose lines can be redrawn."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def can_ask() -> bool:
    """Return whether a person at a terminal can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def width() -> int:
    return min(MAX_WIDTH, _screen_size()[0])


def _screen_size() -> tuple[int, int]:
    import shutil

    return shutil.get_terminal_size((100, 24))


def say(text: str = "") -> None:
    """Print a result line without terminal control characters."""
    sys.stdout.write(f"{_safe(text, sys.stdout)}\n")


def advise(text: str) -> None:
    """Print a result line that contains Signet commands."""
    say(runnable(text))


def tell(text: str) -> None:
    """Print a line that is not part of the result."""
    sys.stderr.write(f"{_safe(text, sys.stderr)}\n")
    sys.stderr.flush()


def show(value: object) -> None:
    """Print one JSON value; a stream of another encoding than UTF-8 gets ASCII with escapes."""
    import json

    is_ascii = sys.stdout.encoding.lower() not in ("utf-8", "utf8")
    sys.stdout.write(f"{controls.escaped(json.dumps(value, ensure_ascii=is_ascii))}\n")


def _safe(text: str, stream: TextIO) -> str:
    return controls.clean_but_colour(text) if ink(stream).on else controls.clean(text)


class _Screen(io.StringIO):
    """Collect what a command prints on a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def paged(*, on: bool) -> Iterator[None]:
    """Show what is printed in a pager if it is longer than the terminal, as git does (PAGER, LESS); hints follow."""
    pager = os.environ.get("PAGER", "less")
    screen = sys.stdout
    if not (on and can_ask() and is_live(screen) and pager.strip() not in ("", "cat")):
        yield
        return
    held = _Screen()
    sys.stdout = held
    _later.append([])
    try:
        yield
    finally:
        sys.stdout = screen
        text = held.getvalue()
        if text.count("\n") < _screen_size()[1] - 1 or not _show_in(pager, text):
            screen.write(text)
            screen.flush()
        for line in _later.pop():
            tell(line)


#: Hints of commands whose output a pager may show.
_later: list[list[str]] = []


def _show_in(pager: str, text: str) -> bool:
    import shlex
    import subprocess

    try:
        env = {"LESS": "FRX", "LV": "-c", **os.environ}
        subprocess.run(shlex.split(pager), input=text.encode(), env=env, check=False)
    except (OSError, ValueError):
        return False
    return True


def failed(message: str, code: str, *, as_json: bool) -> None:
    """Print why a command failed, as `error: …` or as JSON."""
    if as_json:
        show({"error": message, "code": code})
    else:
        tell(f"{ink(sys.stderr).bad('error:')} {runnable(controls.clean(message))}")


def hint(text: str) -> None:
    """Print the next step, unless quiet."""
    if not is_quiet():
        line = ink(sys.stderr).dim(runnable(text))
        _later[-1].append(line) if _later else tell(line)


def masked(kinds: Collection[str]) -> str:
    """Return a line about masked secrets in a saved text; empty without any."""
    return f"\nMasked: {', '.join(kinds)}. To store a secret: signet secret put" if kinds else ""


def rest(offset: int, shown: int, total: int | None, more: str) -> bool:
    """Print which part of a list is shown, and the command for the next part; return False at the end."""
    end = offset + shown
    if total is None or end >= total:
        return False
    hint(f"{offset + 1} to {end} of {total}. More: {more} --offset {end}")
    return True


def further(shown: int, cursor: str | None, more: str, total: int | None = None) -> bool:
    """Print the command for the next page of a list; return False at the end."""
    if cursor is not None:
        of_all = f"{shown} of {total}. " if total else ""
        hint(f"{of_all}More: {more} --cursor {cursor}")
    return cursor is not None


def flags(options: Mapping[str, object]) -> str:
    """Return a command's options as typed, each after a space, without those that have no value."""
    import shlex

    return "".join(
        f" --{name} {shlex.quote(str(value))}"
        for name, value in options.items()
        if value is not None
    )


def runnable(text: str) -> str:
    """Return a text with each `signet …` command in the form that works in the reader's shell."""
    return _COMMAND.sub(lambda _: program(), text)


@functools.cache
def program() -> str:
    """Return how to call this program: `signet` if the shell finds it, else its path."""
    import shlex
    import shutil

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
    return bool(os.environ.get(QUIET))


class Passing:
    """A line on stderr that is redrawn, and removed at the end.

    Where nothing can be redrawn, each text is a separate line.
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
        if self._quiet:
            return
        if self.is_live:
            sys.stderr.write(f"\r\x1b[K  {_safe(text, sys.stderr)}")
            sys.stderr.flush()
            self._drawn = True
        else:
            tell(text)


class ProgressLine(Passing):
    def __init__(self, title: str, *, quiet: bool, unit: str = "jobs") -> None:
        super().__init__(quiet=quiet)
        self._title = title
        self._unit = unit
        self._began = self._said = time.monotonic()

    def count(self, done: int, total: int) -> None:
        """Show `done` of `total`."""
        now = time.monotonic()
        if now - self._began < QUIET_SECONDS:
            return
        if self.is_live:
            self.show(self._bar(done, total, now - self._began))
        elif now - self._said >= PLAIN_SECONDS:
            self._said = now
            self.show(f"{self._title}: {done} of {total} {self._unit}")

    def adding(self, total: int) -> Callable[[int], None]:
        """Return a function that adds a number of bytes, of `total`, and shows megabytes."""
        done = 0

        def add(size: int) -> None:
            nonlocal done
            done += size
            self.count(done // MEGABYTE, total // MEGABYTE)

        return add

    def _bar(self, done: int, total: int, seconds: float) -> str:
        drawn = bar(done, total, ink(sys.stderr))
        took = ink(sys.stderr).dim(f"{seconds:.1f} s")
        return f"{self._title}  {drawn}  {done} of {total} {self._unit}  {took}"


def bar(done: int, total: int, ink: Ink) -> str:
    filled = BAR_CHARS * done // max(total, 1)
    return ink.good("━" * filled) + ink.dim("━" * (BAR_CHARS - filled))


def plain(text: str) -> str:
    """Return a stored text on one line, without terminal control characters."""
    return " ".join(controls.clean(text).split())


def with_marks(text: str, places: Sequence[Sequence[int]]) -> str:
    """Return a text with MARKS around [start, end) places, in code points; its own ones become blanks."""
    text = text.translate(dict.fromkeys(map(ord, MARKS), " "))
    parts, last = [], 0
    for start, end in places:
        parts += [text[last:start], MARKS[0], text[start:end], MARKS[1]]
        last = end
    return "".join([*parts, text[last:]])


def path(stored: str) -> str:
    """Return a path on one line, with the home folder as `~`."""
    home = str(Path.home())
    is_inside = stored == home or stored.startswith(f"{home}/")
    return plain(f"~{stored[len(home) :]}" if is_inside else stored)


def short(text: str, chars: int) -> str:
    """Return a text on one line, on a terminal truncated to `chars` with `…`."""
    line = plain(text)
    if len(line) <= chars or not is_live(sys.stdout):
        return line
    return line[: chars - 1].rstrip() + "…"


def wrapped(text: str, room: int) -> list[str]:
    """Wrap a text to `room` cells on a terminal; return one line elsewhere."""
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
            # Break a word longer than a line, such as a Chinese sentence, at the line's end.
            lines[-1] += gap
            for letter in word:
                if cells(lines[-1] + letter) > room:
                    lines.append("")
                lines[-1] += letter
    return [line.rstrip() for line in lines]


def cells(text: str) -> int:
    """Return a text's width in terminal columns: two per wide letter, none for a combining accent."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0
        if unicodedata.combining(letter) or letter in MARKS
        else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def table(rows: Sequence[Sequence[str]], otherwise: str) -> Iterator[str]:
    """Yield each row as a line with its first cell in a column, without empty cells; `otherwise` if there are no
    rows.
    """
    if not rows:
        yield runnable(otherwise)
    names = [plain(name) for name, *_ in rows]
    width = max(map(cells, names), default=0)
    for name, (_, *others) in zip(names, rows, strict=True):
        column = ink(sys.stdout).name(name) + " " * (width - cells(name))
        yield "  ".join([column, *filter(None, others)]).rstrip()


def listed(lines: Iterable[str], otherwise: str, advice: str = "") -> Iterator[str]:
    """Yield the lines; without any yield `otherwise`, and print the advice to stderr."""
    found = [*lines]
    yield from found or [otherwise]
    if advice and not found:
        hint(advice)


def paragraphs(text: str, indent: int) -> list[str]:
    """Return a stored text as lines, with their own indentation; on a terminal they fit behind an indent."""
    found, room = [], width() - indent
    for raw in controls.clean(text).split("\n"):
        line = raw.rstrip()
        if is_live(sys.stdout) and cells(line := line.expandtabs(4)) > room:
            inner = line[: min(len(line) - len(line.lstrip()), room // 2)]
            found += [inner + part for part in wrapped(line, room - len(inner))]
        else:
            found.append(line)
    return found


def size(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1_000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1_000
    return f"{number:.1f} TB"


def local(instant: str) -> str:
    return clock.parse(instant).astimezone().strftime("%Y-%m-%d %H:%M")


def day(instant: str) -> str:
    return local(instant)[:10]


def last_day(end: str) -> str:
    """Return the last local date of a period that ends before this instant."""
    return (clock.parse(end) - timedelta(milliseconds=1)).astimezone().strftime("%Y-%m-%d")


def ago(instant: str) -> str:
    return f"{clock.span(max((clock.now() - clock.parse(instant)).total_seconds(), 0))} ago"
