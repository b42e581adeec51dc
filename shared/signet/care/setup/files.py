"""The files of a new workspace: those that say who the agent is, and the skills.

What is there stays. Safe to call again; what is returned are the names of the files that were made or changed.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from string import Template

from signet.domain.identity.files import IDENTITY
from signet.domain.skills import builtin
from signet.files import replace_file
from signet.paths import Workspace
from signet.resources import template

#: Two of these make a workspace that somebody has written already (HN-65).
REQUIRED = IDENTITY[:4]
FOLDERS = ("memory/scripts", "harnesses", "skills")


def identity(workspace: Workspace, *, name: str, description: str) -> list[str]:
    """Write the identity files that are missing."""
    words = {"name": name, "description": description}
    wanted = [one for one in IDENTITY if not os.path.lexists(workspace.root / one)]
    for one in wanted:
        replace_file(workspace.root / one, _text(one, words).encode())
    return wanted


def folders(workspace: Workspace) -> None:
    """Make the folders that a person fills."""
    for one in FOLDERS:
        (workspace.root / one).mkdir(parents=True, exist_ok=True)


def skills(workspace: Workspace) -> list[str]:
    """Bring the product's skills up to date; return those that changed."""
    return builtin.sync(workspace.skills_dir)


def present(workspace: Workspace) -> list[str]:
    """Return the required identity files that exist."""
    return [one for one in REQUIRED if (workspace.root / one).exists()]


def _text(name: str, words: Mapping[str, str]) -> str:
    source: Path = template(f"identity/{name}")
    return Template(source.read_text("utf-8")).substitute(words)
