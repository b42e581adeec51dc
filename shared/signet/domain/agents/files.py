"""Files of named agents: their identity, and the AGENTS.md that a harness reads.

`agents/NAME/` contains an agent's own files; others are read from the workspace's root (HN-74).
"""

from collections.abc import Iterable
from pathlib import Path

from signet.config.roster import NAME
from signet.errors import Invalid
from signet.files import replace_file
from signet.ids import DEFAULT_AGENT
from signet.paths import Workspace

#: Files that an agent may have; the worker writes MEMORY.md.
OWN = ("SOUL.md", "IDENTITY.md")
_OWN = frozenset({*OWN, "MEMORY.md"})
#: Sections after the root's AGENTS.md: headings and files (HN-75).
_SECTIONS = (
    ("Soul", "SOUL.md"),
    ("Identity", "IDENTITY.md"),
    ("About Your User", "USER.md"),
    ("Working Memory", "MEMORY.md"),
)


def folder(workspace: Workspace, agent_id: str) -> Path | None:
    """Return the folder of an agent's files; None for the default agent and for invalid folder names."""
    is_name = NAME.fullmatch(agent_id) is not None and agent_id != DEFAULT_AGENT
    return workspace.root / "agents" / agent_id if is_name else None


def find(workspace: Workspace, agent_id: str, name: str) -> Path:
    """Return the path of an agent's file: its own if it is not empty, else the root's."""
    own = folder(workspace, agent_id)
    if own is not None and name in _OWN and (name == "MEMORY.md" or _text(own / name)):
        return own / name
    return workspace.root / name


def present(workspace: Workspace, agent_id: str) -> list[str]:
    """Return the names of an agent's own files."""
    own = folder(workspace, agent_id)
    return sorted(name for name in _OWN if own is not None and (own / name).is_file())


def make(workspace: Workspace, agent_id: str) -> list[Path]:
    """Create an agent's folder with SOUL.md and IDENTITY.md; existing files stay.

    SOUL.md is empty, so the workspace's is used until this one has text.
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
    """Write `agents/NAME/workspace/AGENTS.md` for each of these agents; return the changed files (HN-75)."""
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
    """Return the root's AGENTS.md followed by the agent's identity, user and memory; empty without any."""
    parts = [_text(workspace.root / "AGENTS.md")]
    for heading, name in _SECTIONS:
        text = _text(find(workspace, agent_id, name))
        if text:
            parts.append(f"## {heading}\n\n{text}")
    whole = "\n\n".join(part for part in parts if part)
    return f"{whole}\n" if whole else ""


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace").strip() if path.is_file() else ""
