"""What `signet` and `signet --help` print: all commands by group, without loading any of them.

`overview.json` has the first sentence of each command's help and the general options. `PYTHONPATH=tests python -m
cli.overview` writes it.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from signet import __version__, config
from signet.cli import output
from signet.cli.output import Ink
from signet.cli.rows import ROWS
from signet.paths import find_workspace

FILE = Path(__file__).with_name("overview.json")


def show(*, options: bool = False) -> None:
    for line in lines(output.ink(sys.stdout), options=options):
        output.say(line)


def lines(ink: Ink, *, options: bool) -> Iterator[str]:
    """Yield the commands with what each does, and the next step or the general options."""
    known = json.loads(FILE.read_text("utf-8"))
    yield f"{ink.bold('signet')} {__version__} · persistent memory for AI agents"
    if options:
        yield "\nUsage: signet [OPTIONS] COMMAND [ARGUMENTS]"
    column = max(len(row.name) for row in ROWS) + 2
    panel = ""
    for row in ROWS:
        if row.panel != panel:
            panel = row.panel
            yield f"\n{ink.bold(panel)}"
        yield _line(ink, row.name, column, known["commands"][row.name])
    if options:
        yield f"\n{ink.bold('Options')}"
        width = max(map(len, known["options"])) + 2
        for flags, text in known["options"].items():
            yield _line(ink, flags, width, text)
    else:
        yield f"\nNext: {ink.bold(output.runnable(_next_step()))}"
    yield ink.dim(output.runnable("Help for one command: signet COMMAND --help"))


def _line(ink: Ink, name: str, column: int, text: str) -> str:
    return f"  {ink.name(f'{name:<{column}}')}{brief(text, output.width() - column - 2)}"


def brief(text: str, room: int) -> str:
    """Shorten a sentence to fit: before an explanation, else at a comma."""
    if len(text) <= room:
        return text
    end = max(text.rfind(mark, 0, room) for mark in ";:")
    end = end if end > 0 else text.rfind(",", 0, room)
    return text[:end] if end > 0 else output.short(text, room)


def _next_step() -> str:
    from signet.daemon import record

    workspace = find_workspace()
    if workspace.connection_file.exists():
        return "signet connect"
    if not config.has_memory(workspace):
        return "signet setup"
    if record.running(workspace) is None:
        return "signet daemon start"
    return 'signet remember "I prefer tabs"'
