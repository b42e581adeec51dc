"""Pages of the documentation as commands to run: their blocks, the output they promise, and how it is compared."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: Languages of blocks that are whole programs.
PROGRAMS = ("python", "js")

_FENCE = re.compile(r"^```(\w*)$")
_COMMENT = re.compile(r"^<!-- (not run|mode|differs): (.*) -->$")
#: A command that a shell must run: it has a pipe, a redirection, a list or a variable.
_SHELL = re.compile(r"""(?:[^'"|<>;&$]|'[^']*'|"[^"$]*")*[|<>;&$]""")
#: Not compared: they differ from run to run.
_MASKS = (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){1,4}(?:-?[0-9a-f]{1,12})?\b|\b[0-9a-f]{8}\b", "ID"),
    (r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", "DAY"),
    (r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b", "MONTH"),
    (r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b (?=\d)", "MONTH "),
    (r"\((?:hybrid|keyword|vector)\)", "(way)"),
    (r"(?:\d+ (?:s|min|h|d) )+ago", "some time ago"),
    (r"\d+(?:[.,:]\d+)*", "0"),
    (r" +", " "),
)  # fmt: skip


@dataclass
class Block:
    """One code block: its language, the comment above it, and its commands, each with the promised output."""

    line: int
    language: str
    why_not: str = ""
    mode: str = ""
    #: Beginnings of lines that are not compared.
    differs: tuple[str, ...] = ()
    text: list[str] = field(default_factory=list)
    #: What a program prints, from the block of text behind it.
    output: list[str] | None = None

    def commands(self) -> Iterator[tuple[str, list[str] | None]]:
        """Yield each command and the lines of its output; None where none is promised."""
        if self.language in ("sh", "powershell"):
            for command in re.sub(r"\\\n\s*", "", "\n".join(self.text)).splitlines():
                if command.strip():
                    yield command, None
        elif self.language == "console":
            starts = [at for at, line in enumerate(self.text) if line.startswith("$ ")]
            for at, end in zip(starts, [*starts[1:], len(self.text)], strict=True):
                yield self.text[at][2:], self.text[at + 1 : end]


def is_generated(page: Path) -> bool:
    """Return whether `docs/reference.py` writes a page."""
    return page.read_text("utf-8").startswith("<!-- Written by `python docs/reference.py`")


def blocks(page: Path) -> list[Block]:
    """Return the code blocks of a page."""
    found: list[Block] = []
    comment: dict[str, str] = {}
    block: Block | None = None
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if block is not None and fence:
            if block.language == "text" and found and found[-1].language in PROGRAMS:
                found[-1].output = block.text
            found.append(block)
            block = None
        elif block is not None:
            block.text.append(line)
        elif fence:
            block = Block(number, fence[1], comment.get("not run", ""), comment.get("mode", ""))
            block.differs = tuple(filter(None, comment.get("differs", "").split(", ")))
        if noted := _COMMENT.match(line):
            comment = {noted[1]: noted[2]}
        elif line and not fence:
            comment = {}
    assert block is None, f"{page}: a block has no end"
    return found


def arguments(command: str) -> list[str] | None:
    """Return the words after `signet`, or None for a command that needs a shell."""
    if not command.startswith("signet ") or _SHELL.match(command.partition("  #")[0]):
        return None
    return shlex.split(command, comments=True)[1:]


def masked(line: str) -> str:
    """Return a line without what differs from run to run."""
    for mask, instead in _MASKS:
        line = re.sub(mask, instead, line)
    return line.rstrip()


def difference(promised: list[str], found: list[str], differs: tuple[str, ...] = ()) -> str | None:
    """Return the first promised line that was not printed; `…` matches any lines, and within a line any text."""
    at = 0
    is_open = False
    for line in promised:
        if line.strip() == "…":
            is_open = True
            continue
        if line.strip().startswith(differs) and differs:
            at += 1
            continue
        pattern = ".*".join(re.escape(masked(part)) for part in line.split("…"))
        places = range(at, len(found)) if is_open else [at]
        at = next(
            (p + 1 for p in places if p < len(found) and re.fullmatch(pattern, masked(found[p]))), 0
        )
        if not at:
            return line
        is_open = False
    return None if is_open or at == len(found) else f"(the end, and not {found[at]!r})"
