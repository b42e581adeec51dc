"""Harness connections for `doctor` and `uninstall`; `CONNECTORS` has one per harness."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from signet.domain.harnesses import instructions, records, registry
from signet.domain.harnesses.models import Site
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessEntry:
    """One of our entries in a harness's settings, and its problem (None if it works)."""

    place: str
    problem: str | None = None
    #: What a person has yet to do for it, or should know.
    notice: str | None = None


class HarnessConnection(Protocol):
    """Connects one harness to this installation."""

    @property
    def name(self) -> str:
        """Return the display name."""

    def entries(self, workspace: Workspace) -> Sequence[HarnessEntry]:
        """Return our current entries in the harness's settings; empty if it is not connected."""

    def remove(self, workspace: Workspace) -> Sequence[str]:
        """Remove our entries and return their places; leave the rest unchanged."""


@dataclass(frozen=True, slots=True)
class RegisteredHarness:
    """A registered harness in the current user's home."""

    name: str

    def entries(self, workspace: Workspace) -> Sequence[HarnessEntry]:
        """Return our entries, including broken ones."""
        connector, site = registry.find(self.name), _site(workspace)
        place = str(connector.config_path(site))
        if not connector.is_installed(site):
            if records.read(workspace, self.name).is_installed:
                return [HarnessEntry(place=place, problem="the Signet entries are missing")]
            if (file := instructions.left(site, connector)) is not None:
                return [
                    HarnessEntry(
                        place=str(file),
                        problem="not connected, but it still contains Signet's text",
                    )
                ]
            return []
        found = [
            HarnessEntry(place=str(one.path), problem=one.text) for one in connector.problems(site)
        ]
        found += [HarnessEntry(place=place, notice=one) for one in connector.notices(site)]
        return found or [HarnessEntry(place=place)]

    def remove(self, workspace: Workspace) -> Sequence[str]:
        """Remove our entries. Raises OSError if a file does not parse; that file stays."""
        done = registry.disconnect(_site(workspace), self.name)
        if done.refused:
            raise OSError("; ".join(done.refused))
        return [*done.configs_patched, *done.files_removed]


def _site(workspace: Workspace) -> Site:
    return Site(workspace=workspace, home=Path.home())


CONNECTORS: tuple[HarnessConnection, ...] = tuple(
    RegisteredHarness(name) for name in registry.HARNESSES
)
