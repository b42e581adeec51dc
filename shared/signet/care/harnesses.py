"""Harness connections of the current user, for `status`, `doctor`, `harness list` and `uninstall`."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from signet.domain.harnesses import instructions, records, registry
from signet.domain.harnesses.models import Site
from signet.paths import Workspace


class HarnessEntry(NamedTuple):
    """One of our entries in a harness's settings, and its problem (None if it works)."""

    place: str
    problem: str | None = None
    #: A remaining step for the user, or a remark.
    notice: str | None = None


def every(workspace: Workspace) -> dict[str, list[HarnessEntry]]:
    """Return our entries in each harness, including broken ones; empty lists for unconnected harnesses."""
    site = Site(workspace=workspace, home=Path.home())
    return {name: list(_entries(site, name)) for name in registry.HARNESSES}


def connected(workspace: Workspace) -> dict[str, list[HarnessEntry]]:
    return {name: entries for name, entries in every(workspace).items() if entries}


def remove(workspace: Workspace, name: str) -> None:
    """Remove our entries; raises OSError if a file does not parse, which then stays."""
    done = registry.disconnect(Site(workspace=workspace, home=Path.home()), name)
    if done.refused:
        raise OSError("; ".join(done.refused))


def _entries(site: Site, name: str) -> Iterator[HarnessEntry]:
    connector = registry.find(name)
    place = str(connector.config_path(site))
    if connector.is_installed(site):
        found = [HarnessEntry(str(one.path), one.text) for one in connector.problems(site)]
        found += [HarnessEntry(place, notice=one) for one in connector.notices(site)]
        yield from found or [HarnessEntry(place)]
    elif records.read(site.workspace, name).is_installed:
        yield HarnessEntry(place, "the Signet entries are missing")
    elif (file := instructions.left(site, connector)) is not None:
        yield HarnessEntry(str(file), "not connected, but it still contains Signet's text")
