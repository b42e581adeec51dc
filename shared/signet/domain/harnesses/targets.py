"""The files that are generated for harnesses: where they are, which are wanted, and how they go."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from signet.config.manifest import replace_file
from signet.domain.harnesses import generate, records
from signet.domain.harnesses.models import Site

#: Ends the name of the copy of what a person had written there.
BACKUP = ".pre-signet.bak"


def wanted(site: Site, listed: Iterable[str]) -> list[Path]:
    """Return the file of each harness that reads one and is there; with a list in agent.yaml only of those in it.

    One that was connected by hand counts as listed, one that was taken out does not.
    """
    named = set(listed)
    found = []
    for harness, path in _known(site).items():
        record = records.read(site.workspace, harness)
        is_wanted = not named or harness in named or record.is_installed
        if path.parent.is_dir() and is_wanted and not record.is_removed:
            found.append(path)
    return found


def generated(site: Site, harness: str) -> Path | None:
    """Return the file that was generated for a harness, None when there is none of ours."""
    path = _known(site).get(harness)
    if path is None or not path.is_file():
        return None
    return path if generate.is_generated(path.read_text("utf-8", "replace")) else None


def withdraw(path: Path) -> None:
    """Take a generated file away; what was there before comes back."""
    backup = path.with_name(path.name + BACKUP)
    if backup.is_file():
        replace_file(path.resolve(), backup.read_bytes())
        backup.unlink()
    else:
        path.unlink()


def _known(site: Site) -> Mapping[str, Path]:
    return {
        "claude-code": site.home / ".claude" / "CLAUDE.md",
        "opencode": site.config_home / "opencode" / "AGENTS.md",
    }
