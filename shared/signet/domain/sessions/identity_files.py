"""The files that define an agent's identity; unreadable ones are skipped (HK-36).

Of a template written by `signet setup`, only the filled-in parts count.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from signet import resources
from signet.config.sections import AgentSettings
from signet.db.visibility import Here
from signet.domain.agents import registry
from signet.domain.identity import files as identity
from signet.domain.synthesis import file as memory_file
from signet.files import read_markdown
from signet.ids import is_of_user
from signet.paths import Workspace
from signet.text import controls

#: More than any context budget; the rest of a larger file is not read.
MOST_BYTES = 256 * 1024
#: The name of an agent without a name.
UNNAMED = "Agent"
#: Template defaults that no one chose: name and creature.
_TEMPLATE = (UNNAMED, "assistant")

_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).)*-->", re.DOTALL)
#: A line such as `- Name:`, without a value after it.
_FIELD = re.compile(r"[-*] +\**[^:\n]{1,40}:\**")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_BLANKS = re.compile(r"\n{3,}")
_BLOCK = re.compile(r"<!-- SIGNET:START -->.*?(?:<!-- SIGNET:END -->[ \t]*\n?|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The contents of the files; empty for a missing file."""

    instructions: str = ""
    soul: str = ""
    identity: str = ""
    user: str = ""
    memory: str = ""
    #: IDENTITY.md verbatim: its template names the agent too.
    card: str = ""

    @property
    def count(self) -> int:
        """Return the number of files with content."""
        texts = (self.instructions, self.soul, self.identity, self.user, self.memory)
        return sum(map(bool, texts))


def load(workspace: Workspace, agent_id: str, here: Here) -> Identity:
    """Return an agent's files: its soul and identity, the parts of MEMORY.md for this project, the shared files.

    USER.md describes the daemon's user, not a user with a key.
    """
    memory = memory_file.path_of(workspace, agent_id)
    instructions = _BLOCK.sub("", read(workspace.root / "AGENTS.md")).strip()
    card = _own(workspace, agent_id, "IDENTITY.md")
    return Identity(
        instructions="" if _is_template(instructions, "AGENTS.md") else instructions,
        soul=filled(_own(workspace, agent_id, "SOUL.md"), "SOUL.md"),
        identity=filled(card, "IDENTITY.md"),
        user="" if is_of_user(agent_id) else filled(read(workspace.root / "USER.md"), "USER.md"),
        memory=filled(memory_file.injectable(memory, here) if memory else "", "MEMORY.md"),
        card=card,
    )


def filled(text: str, name: str) -> str:
    """Return what a person wrote in this identity file; empty for an unchanged template.

    Drops comments, fields without a value, empty headings, and a title that repeats the file name. A text with code,
    where such lines may mean something, loses only its comments.
    """
    if _is_template(text, name):
        return ""
    text = _COMMENT.sub("", text)
    if "```" in text:
        return text.strip()
    lines: list[str] = []
    for line in reversed(text.split("\n")):
        below = next((one for one in reversed(lines) if one.strip()), "")
        if not (_is_blank_field(line, below) or _is_idle_heading(line, below, name)):
            lines.append(line.rstrip())
    return _BLANKS.sub("\n\n", "\n".join(reversed(lines))).strip()


def introduced(who: Mapping[str, str], files: Identity) -> str:
    """Return a line that introduces the agent; empty without a name, or if its files introduce it."""
    usual = (AgentSettings().name, AgentSettings().description, *_TEMPLATE)
    said = "\n".join((files.instructions, files.soul, files.identity))
    chosen = [one for one in who.values() if one not in usual]
    return f"You are {', '.join(chosen)}." if any(one not in said for one in chosen) else ""


def read(path: Path) -> str:
    """Return the visible text of a file, empty if it cannot be read."""
    try:
        return controls.clean(read_markdown(path, MOST_BYTES).decode("utf-8", "replace")).strip()
    except OSError:
        return ""


def name_of(found: Identity, agent: AgentSettings) -> dict[str, str]:
    """Return the agent's name and description from its settings, else from IDENTITY.md, else `Agent`."""
    name, description = agent.name, agent.description
    if name == AgentSettings().name:  # the default name
        said = identity.parse(found.card)
        name = "" if said["name"] == identity.UNKNOWN else said["name"]
        description = said["creature"]
    return {"name": name or UNNAMED, **({"description": description} if description else {})}


def _is_blank_field(line: str, below: str) -> bool:
    """Return whether a line is a field without a value, neither on the line nor indented below it."""
    is_field = _FIELD.fullmatch(line.strip()) is not None
    return is_field and _indent(below) <= _indent(line)


def _is_idle_heading(line: str, below: str, name: str) -> bool:
    """Return whether a line is a heading without content, or only repeats the file name."""
    heading, next_one = _HEADING.fullmatch(line.rstrip()), _HEADING.fullmatch(below)
    if heading is None:
        return False
    is_name = heading[2].lower() == name.removesuffix(".md").lower()
    return is_name or not below or (next_one is not None and len(next_one[1]) <= len(heading[1]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_template(text: str, name: str) -> bool:
    return _template(name).fullmatch(" ".join(text.split())) is not None


@cache
def _template(name: str) -> re.Pattern[str]:
    """Return a pattern that matches this template with any agent name and description."""
    text = " ".join(resources.template(f"identity/{name}").read_text("utf-8").split())
    return re.compile(re.sub(r"\\\$(?:name|description)", ".*", re.escape(text)))


def _own(workspace: Workspace, agent_id: str, name: str) -> str:
    try:
        return read(registry.find(workspace, agent_id, name))
    except OSError:
        return ""
