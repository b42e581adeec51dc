"""Which copies in a workspace may still hold what was erased from its database."""

from datetime import UTC, datetime
from pathlib import Path

from signet.domain.backup import kept
from signet.paths import Workspace

#: Copies that an upgrade of the schema makes; the git history of the workspace.
_BEFORE_UPGRADE = "*.bak-*"
_GIT = ".git"


def since(workspace: Workspace, saved_at: datetime) -> list[Path]:
    """Return backups, put-aside states and copies before upgrades that are not older than this, and the git history."""
    found = [one.path for one in kept.kept(workspace) if one.made_at >= saved_at]
    others = [*workspace.memory_dir.glob(f"{workspace.database.name}{_BEFORE_UPGRADE}")]
    if workspace.replaced_dir.is_dir():
        others += workspace.replaced_dir.iterdir()
    found += sorted(path for path in others if _changed_at(path) >= saved_at)
    if (workspace.root / _GIT).exists():
        found.append(workspace.root / _GIT)
    return found


def _changed_at(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:  # gone since it was listed
        return datetime.min.replace(tzinfo=UTC)
