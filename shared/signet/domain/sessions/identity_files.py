"""The files that say who an agent is; what cannot be read is left out (HK-36).

Of a template that `signet setup` has written only what somebody has filled in counts.
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
from signet.paths import Workspace
from signet.text import controls

#: More than any budget of a context; a larger file is not read to its end.
MOST_BYTES = 256 * 1024
#: What an agent is called that nobody has named.
UNNAMED = "Agent"
#: What nobody has chosen: that name, and the creature of the template.
_TEMPLATE = (UNNAMED, "assistant")

_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).)*+-->", re.DOTALL)
#: A line such as `- Name:`, without a value behind it.
_FIELD = re.compile(r"[-*] +\**[^:\n]{1,40}:\**")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_BLANKS = re.compile(r"\n{3,}")
_BLOCK = re.compile(r"<!-- SIGNET:START -->.*?(?:<!-- SIGNET:END -->[ \t]*\n?|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the files say; empty where there is none."""

    instructions: str = ""
    soul: str = ""
    identity: str = ""
    user: str = ""
    memory: str = ""
    #: IDENTITY.md as it stands: its template names the agent too.
    card: str = ""

    @property
    def count(self) -> int:
        """Return how many files say something."""
        texts = (self.instructions, self.soul, self.identity, self.user, self.memory)
        return sum(map(bool, texts))


def load(workspace: Workspace, agent_id: str, here: Here) -> Identity:
    """Return an agent's files: its own soul and identity, the parts of MEMORY.md for this project, the shared files."""
    memory = memory_file.path_of(workspace, agent_id)
    instructions = _BLOCK.sub("", read(workspace.root / "AGENTS.md")).strip()
    card = _own(workspace, agent_id, "IDENTITY.md")
    return Identity(
        instructions="" if _is_template(instructions, "AGENTS.md") else instructions,
        soul=filled(_own(workspace, agent_id, "SOUL.md"), "SOUL.md"),
        identity=filled(card, "IDENTITY.md"),
        user=filled(read(workspace.root / "USER.md"), "USER.md"),
        memory=filled(memory_file.told(memory, here) if memory else "", "MEMORY.md"),
        card=card,
    )


def filled(text: str, name: str) -> str:
    """Return what somebody wrote in the identity file of this name; empty for one that is still the template.

    Comments, fields without a value, headings without content and a title that only repeats the name of the file are
    left out. A text with code in it, where such lines may mean something, keeps all but its comments.
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
    """Return who the agent is in a line, empty when nobody has named it or its files say so themselves."""
    usual = (AgentSettings().name, AgentSettings().description, *_TEMPLATE)
    said = "\n".join((files.instructions, files.soul, files.identity))
    chosen = [one for one in who.values() if one not in usual]
    return f"You are {', '.join(chosen)}." if any(one not in said for one in chosen) else ""


def read(path: Path) -> str:
    """Return the text of a file without what no reader sees, empty when it is none that can be read."""
    try:
        return controls.clean(read_markdown(path, MOST_BYTES).decode("utf-8", "replace")).strip()
    except OSError:
        return ""


def name_of(found: Identity, agent: AgentSettings) -> dict[str, str]:
    """Return who the agent is: by its settings, else by its IDENTITY.md, else `Agent`."""
    name, description = agent.name, agent.description
    if name == AgentSettings().name:  # nobody has given it one
        said = identity.parse(found.card)
        name = "" if said["name"] == identity.UNKNOWN else said["name"]
        description = said["creature"]
    return {"name": name or UNNAMED, **({"description": description} if description else {})}


def _is_blank_field(line: str, below: str) -> bool:
    """Return whether a line is a field without a value, neither behind it nor further in below it."""
    is_field = _FIELD.fullmatch(line.strip()) is not None
    return is_field and _indent(below) <= _indent(line)


def _is_idle_heading(line: str, below: str, name: str) -> bool:
    """Return whether a line is a heading that has nothing of its own below it, or is only the name of the file."""
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
    """Return what fits the template of this name, whatever stands for the agent's name and description in it."""
    text = " ".join(resources.template(f"identity/{name}").read_text("utf-8").split())
    return re.compile(re.sub(r"\\\$(?:name|description)", ".*", re.escape(text)))


def _own(workspace: Workspace, agent_id: str, name: str) -> str:
    try:
        return read(registry.find(workspace, agent_id, name))
    except OSError:
        return ""
