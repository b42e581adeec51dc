"""Files of a new workspace: the agent's identity, and the skills.

Existing files stay. Safe to repeat; functions return the names of created or changed files.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from string import Template

from signet.domain.identity.files import IDENTITY
from signet.domain.skills import install
from signet.files import replace_file
from signet.paths import Workspace
from signet.resources import template

#: Two of these mean that a person has already written the workspace (HN-65).
REQUIRED = IDENTITY[:4]
FOLDERS = ("memory/scripts", "harnesses", "skills")


def identity(workspace: Workspace, *, name: str, description: str) -> list[str]:
    """Write the missing identity files."""
    words = {"name": name, "description": description}
    wanted = [one for one in IDENTITY if not os.path.lexists(workspace.root / one)]
    for one in wanted:
        replace_file(workspace.root / one, _text(one, words).encode())
    return wanted


def folders(workspace: Workspace) -> None:
    """Create the folders for the user's files."""
    for one in FOLDERS:
        (workspace.root / one).mkdir(parents=True, exist_ok=True)


def skills(workspace: Workspace) -> list[str]:
    """Update the product's skills; return the changed ones."""
    return install.sync_builtin(workspace.skills_dir)


def present(workspace: Workspace) -> list[str]:
    """Return the existing required identity files."""
    return [one for one in REQUIRED if (workspace.root / one).exists()]


def _text(name: str, words: Mapping[str, str]) -> str:
    source: Path = template(f"identity/{name}")
    return Template(source.read_text("utf-8")).substitute(words)
