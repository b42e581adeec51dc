"""The files of named agents: who each of them is, and the AGENTS.md that a harness reads for one of them.

`agents/NAME/` holds what is an agent's own; what is not there is the file of the workspace's root (HN-74).
"""

from collections.abc import Iterable
from pathlib import Path

from signet.config.roster import NAME
from signet.errors import Invalid
from signet.files import replace_file
from signet.ids import DEFAULT_AGENT
from signet.paths import Workspace

#: Files that an agent may have of its own; MEMORY.md is written by the worker.
OWN = ("SOUL.md", "IDENTITY.md")
_OWN = frozenset({*OWN, "MEMORY.md"})
#: What follows the root's AGENTS.md: headings and files (HN-75).
_SECTIONS = (
    ("Soul", "SOUL.md"),
    ("Identity", "IDENTITY.md"),
    ("About Your User", "USER.md"),
    ("Working Memory", "MEMORY.md"),
)


def folder(workspace: Workspace, agent_id: str) -> Path | None:
    """Return the folder of an agent's own files; None for the default agent and for what is no name of a folder."""
    is_name = NAME.fullmatch(agent_id) is not None and agent_id != DEFAULT_AGENT
    return workspace.root / "agents" / agent_id if is_name else None


def find(workspace: Workspace, agent_id: str, name: str) -> Path:
    """Return where an agent's file of this name is: its own when it says something, else the root's."""
    own = folder(workspace, agent_id)
    if own is not None and name in _OWN and (name == "MEMORY.md" or _text(own / name)):
        return own / name
    return workspace.root / name


def present(workspace: Workspace, agent_id: str) -> list[str]:
    """Return the names of an agent's own files."""
    own = folder(workspace, agent_id)
    return sorted(name for name in _OWN if own is not None and (own / name).is_file())


def make(workspace: Workspace, agent_id: str) -> list[Path]:
    """Give an agent a folder with a SOUL.md and an IDENTITY.md of its own; what is there stays.

    SOUL.md is empty, so that the workspace's is used until this one has text.
    """
    own = folder(workspace, agent_id)
    if own is None:
        raise Invalid(f"'{agent_id}' is not a valid agent name")
    own.mkdir(parents=True, exist_ok=True)
    words = {"SOUL.md": "", "IDENTITY.md": f"# Identity\n\n- name: {agent_id}\n"}
    made = [own / name for name in OWN if not (own / name).exists()]
    for path in made:
        replace_file(path, words[path.name].encode())
    return made


def write_workspaces(workspace: Workspace, agent_ids: Iterable[str]) -> list[Path]:
    """Write `agents/NAME/workspace/AGENTS.md` for each of these agents; return the files that changed (HN-75)."""
    changed = []
    for agent_id in agent_ids:
        own = folder(workspace, agent_id)
        if own is None:
            continue
        path = own / "workspace" / "AGENTS.md"
        text = composed(workspace, agent_id)
        if not text or (path.is_file() and path.read_bytes() == text.encode()):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
        changed.append(path)
    return changed


def composed(workspace: Workspace, agent_id: str) -> str:
    """Return the root's AGENTS.md followed by who the agent is, for whom, and what it knows; empty without any."""
    parts = [_text(workspace.root / "AGENTS.md")]
    for heading, name in _SECTIONS:
        text = _text(find(workspace, agent_id, name))
        if text:
            parts.append(f"## {heading}\n\n{text}")
    whole = "\n\n".join(part for part in parts if part)
    return f"{whole}\n" if whole else ""


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace").strip() if path.is_file() else ""
