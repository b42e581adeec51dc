"""Connect the chosen harnesses; report those that cannot be connected, and continue (CL-14)."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from signet.care.setup import probe
from signet.care.setup.choices import Choices
from signet.domain.harnesses import registry
from signet.domain.harnesses.models import ConnectOptions, Site
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """The result for one harness: whether it is connected, changed files, and notes for the user."""

    id: str
    name: str
    is_connected: bool
    message: str
    changed: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def connect(
    workspace: Workspace, listed: Iterable[str], chosen: Choices, *, port: int
) -> tuple[Connected, ...]:
    """Connect the harnesses in agent.yaml and those chosen by name.

    A harness or entry that the user removed is restored only when chosen.
    """
    site = registry.with_programs(Site(workspace=workspace, home=Path.home(), port=port))
    asked = {
        *(chosen.harnesses or ()),
        *(["openclaw"] if chosen.wishes != ConnectOptions() else []),
    }
    wanted = {*registry.wanted(site, listed), *asked}
    return tuple(
        _one(site, one, chosen.wishes, is_asked=one in asked)
        for one in registry.HARNESSES
        if one in wanted
    )


def unconnected(workspace: Workspace, listed: Iterable[str], *, removed: bool) -> tuple[str, ...]:
    """Return installed harnesses that are neither connected nor listed and lack our plugin; or the `removed` ones."""
    site = Site(workspace=workspace, home=Path.home())
    wanted = registry.wanted(site, listed)
    return tuple(
        one
        for one in probe.harnesses()
        if one not in wanted
        and registry.is_removed(site, one) is removed
        and not registry.find(one).has_plugin(site)
    )


def _one(site: Site, harness: str, wishes: ConnectOptions, *, is_asked: bool) -> Connected:
    connect = registry.connect if is_asked else registry.bring_up_to_date
    done = connect(site, harness, wishes)
    connector = registry.HARNESSES[harness]
    return Connected(
        id=harness,
        name=connector.name,
        is_connected=done.success and connector.is_installed(site),
        message=done.message,
        changed=(*done.files_written, *done.configs_patched),
        copies=done.copies,
        warnings=done.warnings,
    )
