"""What every format is read as."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from signet.domain.transfer.records import TEXT, Found, Record
from signet.paths import Workspace


class Format(StrEnum):
    """The formats that can be imported, as `--from` names them."""

    SIGNET = "signet"
    UPSTREAM = "upstream"
    BUNDLE = "bundle"
    CLAUDE_CODE = "claude-code"
    MARKDOWN = "markdown"
    MEM0 = "mem0"


#: Formats whose rows say themselves whose they are.
OWNED = frozenset({Format.SIGNET, Format.UPSTREAM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a person says about the texts of a source; `sessions` asks for transcripts too."""

    agent_id: str | None = None
    project: str | None = None
    sessions: bool = False


class File(Protocol):
    """A file or folder of a source that belongs into the workspace; `kind` names it for people."""

    @property
    def kind(self) -> str: ...

    @property
    def place(self) -> Path: ...

    def copy(self, workspace: Workspace) -> None:
        """Put it into a workspace, in the place of what has its name. Raises SignetError and OSError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An open source: its records, how much there is to read in `unit` (0: not known), whether vectors are in it.

    `files` are no rows: the command line copies them into the workspace. `left` counts, by their ending, the files of a
    folder that are not read.
    """

    format: Format
    records: Iterator[Found]
    total: int
    unit: str
    vectors: bool = False
    files: tuple[File, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict)


def text_record(content: str, wishes: Wishes, fields: Mapping[str, object]) -> Record:
    """Return the record of a text; what is None is left out."""
    wished = {"agentId": wishes.agent_id, "project": wishes.project or fields.get("project")}
    said = {"record": TEXT, "content": content, **fields, **wished}
    return {name: value for name, value in said.items() if value is not None}


def kilobytes(size: int) -> int:
    """Return a number of bytes as it is counted for people."""
    return -(-size // 1024)


def size_of(paths: list[Path]) -> int:
    """Return the kilobytes of some files."""
    return kilobytes(sum(path.stat().st_size for path in paths))
