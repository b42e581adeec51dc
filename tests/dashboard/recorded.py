"""Records the terminal session of the README: real commands of a real daemon, as an SVG of what a terminal shows."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from cli.program import Program
from support.processes import eventually

COLUMNS = 96
#: The session of yesterday, as Claude Code hands it over.
TURNS = (
    ("user", "The invoice totals are off by a cent again."),
    (
        "assistant",
        "We decided after the March invoices: amounts are integer cents everywhere, and rounding happens once, when "
        "the total is printed. `totals.py` still adds floats.",
    ),
    ("user", "Right. Then use integer cents there too, and never round before the total."),
    (
        "assistant",
        "Done: `totals.py` adds integer cents and rounds once, when the total is printed.",
    ),
)
PROMPT = "Customers say that discounts make some totals one cent too low. Can you fix it?"
COMMANDS = (
    ("remember", "Invoices go out on the first Monday of a month"),
    ("recall", "when do we send invoices"),
)
#: The picture loads nothing: readers have a font of their own.
FONT = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)


@dataclass
class Installed(Program):
    """A program with the embedding model of this machine."""

    models: Path = Path()

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment that has the model."""
        return super().environment(**{"SIGNET_MODEL_DIR": str(self.models), **more})


def record(home: Path, models: Path, path: Path) -> None:
    """Write the SVG: a session ended, the next one asks, and what it is given is shown; with the model in `models`."""
    program = Installed(home=home, workspace=home / ".agents", models=models)
    started = program.run("daemon", "start", "--port", str(program.port))
    assert started.status == 0, started.err
    try:
        path.write_text(_session(program) + "\n", "utf-8")
    finally:
        program.run("daemon", "stop")


def _session(program: Program) -> str:
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    project = program.home / "invoices"
    project.mkdir()
    log = program.home / "yesterday.jsonl"
    log.write_text("\n".join(map(_line, TURNS)))
    _hook(
        program, "session-end", session_id="yesterday", cwd=str(project), transcript_path=str(log)
    )
    asked = {"cwd": str(project), "prompt": PROMPT}
    eventually(lambda: _hook(program, "user-prompt-submit", session_id="probe", **asked) != "")
    given = _hook(program, "user-prompt-submit", session_id="today", **asked)
    _say(console, "# yesterday a session in ~/invoices ended; today there is a new one")
    _say(console, f'$ claude "{PROMPT}"')
    _say(console, "# what Claude Code is given with it")
    console.print(Text(given.strip()))
    for name, said in COMMANDS:
        _say(console, f'$ signet {name} "{said}"')
        drawn = program.on_terminal(name, said, columns=COLUMNS).replace("\r\n", "\n")
        console.print(Text.from_ansi(drawn.rstrip()))
    return console.export_svg(title="Signet", code_format=FONT.sub("", CONSOLE_SVG_FORMAT))


def _say(console: Console, line: str) -> None:
    console.print(Text(f"\n{line}", style="dim" if line.startswith("#") else "bold"))


def _line(turn: tuple[str, str]) -> str:
    role, text = turn
    at = datetime.now(UTC) - timedelta(days=1)
    said = {"type": role, "timestamp": at.isoformat(), "message": {"role": role, "content": text}}
    return json.dumps(said)


def _hook(program: Program, name: str, **said: str) -> str:
    done = program.run("hook", name, "--harness", "claude-code", stdin=json.dumps(said))
    assert done.status == 0, done.err
    return done.out
