"""Shell completion from the files of the workspace; starts no process and sends no request.

Unreadable files complete nothing; the command itself reports the error.
"""

from collections.abc import Iterable
from pathlib import Path

from signet.paths import find_workspace


def agents(incomplete: str) -> list[str]:
    """Return the agents of the roster and of the folder `agents` with this prefix."""
    from signet import config

    workspace = find_workspace()
    listed = [one.name for one in config.load(workspace).settings.agents.roster]
    return _matching([*listed, *_folders(workspace.root / "agents")], incomplete)


def skills(incomplete: str) -> list[str]:
    """Return the installed skills with this prefix."""
    return _matching(_folders(find_workspace().skills_dir), incomplete)


def secrets(incomplete: str) -> list[str]:
    """Return the names of secrets with this prefix; the names are not encrypted."""
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
