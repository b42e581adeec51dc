"""What a shell offers for a word that is being typed, from the files of the workspace: nothing is started or asked.

A file that cannot be read offers nothing; the command itself will say why.
"""

from collections.abc import Iterable
from pathlib import Path

from signet.paths import find_workspace


def agents(incomplete: str) -> list[str]:
    """Return the agents of the roster and of the folder `agents` that a word may become."""
    from signet import config

    workspace = find_workspace()
    listed = [one.name for one in config.load(workspace).settings.agents.roster]
    return _matching([*listed, *_folders(workspace.root / "agents")], incomplete)


def skills(incomplete: str) -> list[str]:
    """Return the installed skills that a word may become."""
    return _matching(_folders(find_workspace().skills_dir), incomplete)


def secrets(incomplete: str) -> list[str]:
    """Return the names of secrets that a word may become; they stand in the clear."""
    from signet.domain.secrets.vault import Vault, VaultUnreadable

    try:
        return _matching(Vault(find_workspace().vault).names(), incomplete)
    except (VaultUnreadable, OSError):
        return []


def _folders(place: Path) -> list[str]:
    try:
        return [one.name for one in place.iterdir() if one.is_dir() and one.name[0] != "."]
    except OSError:
        return []


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})
