"""The files that say who an agent is (spec/harnesses.md §6, §8); what cannot be read is left out (HK-36)."""

import re
from dataclasses import dataclass
from pathlib import Path

from signet.config.sections import Agent
from signet.domain.agents import files
from signet.domain.identity import identity
from signet.domain.synthesis import file as memory_file
from signet.paths import Workspace

#: More than any budget of a context; a larger file is not read to its end.
MOST_BYTES = 256 * 1024

_BLOCK = re.compile(r"<!-- SIGNET:START -->.*?(?:<!-- SIGNET:END -->[ \t]*\n?|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the files say; empty where there is none."""

    instructions: str = ""
    soul: str = ""
    identity: str = ""
    user: str = ""
    memory: str = ""

    @property
    def count(self) -> int:
        """Return how many files say something."""
        texts = (self.instructions, self.soul, self.identity, self.user, self.memory)
        return sum(map(bool, texts))


def load(workspace: Workspace, agent_id: str) -> Identity:
    """Return what an agent's files say: its own soul and identity, its own MEMORY.md, the rest from the root."""
    memory = memory_file.path_of(workspace, agent_id)
    return Identity(
        instructions=_BLOCK.sub("", read(workspace.root / "AGENTS.md")).strip(),
        soul=_own(workspace, agent_id, "SOUL.md"),
        identity=_own(workspace, agent_id, "IDENTITY.md"),
        user=read(workspace.root / "USER.md"),
        memory=_memory(memory) if memory else "",
    )


def read(path: Path) -> str:
    """Return the text of a file, empty when it is none that can be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace").replace("\0", "").strip()
    except OSError:
        return ""


def name_of(found: Identity, agent: Agent) -> dict[str, str]:
    """Return who the agent is: by its settings, else by its IDENTITY.md, else `Agent`."""
    name, description = agent.name, agent.description
    if name == Agent().name:  # nobody has given it one
        said = identity.parse(found.identity)
        name, description = "" if said.name == identity.UNKNOWN else said.name, said.creature
    return {"name": name or "Agent", **({"description": description} if description else {})}


def _own(workspace: Workspace, agent_id: str, name: str) -> str:
    try:
        return read(files.find(workspace, agent_id, name))
    except OSError:
        return ""


def _memory(path: Path) -> str:
    try:
        return memory_file.read(path).replace("\0", "").strip() if path.is_file() else ""
    except OSError:
        return ""
