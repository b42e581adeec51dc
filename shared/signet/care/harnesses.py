"""The one place where `doctor` and `uninstall` meet the harnesses; `CONNECTORS` are those that can be connected."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from signet.domain.harnesses import instructions, records, registry
from signet.domain.harnesses.models import Site
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something of ours in a harness's settings: where, and why it does not work (None: it does)."""

    place: str
    problem: str | None = None


class Connector(Protocol):
    """What connects one harness to this installation."""

    @property
    def name(self) -> str:
        """Return what it is called."""

    def entries(self, workspace: Workspace) -> Sequence[Entry]:
        """Return what is in the harness's settings now; nothing when it is not connected."""

    def remove(self, workspace: Workspace) -> Sequence[str]:
        """Take every entry out and return the places; what is not ours stays as it is."""


@dataclass(frozen=True, slots=True)
class Harness:
    """A harness of the registry, in the home of whoever runs this."""

    name: str

    def entries(self, workspace: Workspace) -> Sequence[Entry]:
        """Return what is in its settings, and what came loose of what we put there."""
        connector, site = registry.find(self.name), _site(workspace)
        place = str(connector.config_path(site))
        if not connector.is_installed(site):
            if records.read(workspace, self.name).is_installed:
                return [Entry(place=place, problem="the Signet entries are missing")]
            if (file := instructions.left(site, self.name)) is not None:
                return [
                    Entry(
                        place=str(file),
                        problem="not connected, but it still contains Signet's text",
                    )
                ]
            return []
        found = [Entry(place=str(one.path), problem=one.text) for one in connector.problems(site)]
        return found or [Entry(place=place)]

    def remove(self, workspace: Workspace) -> Sequence[str]:
        """Take it out; raises OSError when one of its files does not parse and stays."""
        done = registry.disconnect(_site(workspace), self.name)
        if done.refused:
            raise OSError("; ".join(done.refused))
        return [*done.configs_patched, *done.files_removed]


def _site(workspace: Workspace) -> Site:
    return Site(workspace=workspace, home=Path.home())


CONNECTORS: tuple[Connector, ...] = tuple(Harness(name) for name in registry.HARNESSES)
