"""Connecting the harnesses that were chosen; one that cannot be connected is told of, and stops nothing (CL-14)."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site, Wishes
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """What came of one harness: whether it is connected, the files that changed, and what a person should know."""

    id: str
    name: str
    is_connected: bool
    message: str
    changed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def connect(
    workspace: Workspace,
    listed: Iterable[str],
    asked: Iterable[str],
    *,
    port: int,
    legacy: bool | None,
    conversations: bool | None,
    claims_workspace: bool,
) -> tuple[Connected, ...]:
    """Connect the harnesses that agent.yaml lists, and those that were asked for by name.

    One that was taken out on purpose comes back only when it is asked for.
    """
    site = registry.with_programs(Site(workspace=workspace, home=Path.home(), port=port))
    wishes = Wishes(legacy=legacy, conversations=conversations, claim_workspace=claims_workspace)
    chosen = {*registry.wanted(site, listed), *asked}
    return tuple(_one(site, one, wishes) for one in registry.HARNESSES if one in chosen)


def _one(site: Site, harness: str, wishes: Wishes) -> Connected:
    done = registry.connect(site, harness, wishes)
    return Connected(
        id=harness,
        name=registry.HARNESSES[harness].name,
        is_connected=done.success,
        message=done.message,
        changed=(*done.files_written, *done.configs_patched),
        warnings=done.warnings,
    )
