"""Harnesses of this machine: list, connection state, and generated files."""

import asyncio
from pathlib import Path

from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from signet.domain.sessions import calls
from signet.wire import harnesses as wire
from signet_api.deps import Shared, State
from signet_api.serving import serves


@serves(wire.HARNESSES)
async def get_harnesses(state: Shared) -> wire.Harnesses:
    """Return every supported harness with its file and last call."""
    seen = await state.db.aread(calls.harnesses)
    return {"harnesses": await asyncio.to_thread(_listed, _site(state), seen)}


@serves(wire.REGENERATE_HARNESSES)
async def post_regenerate(state: Shared) -> wire.Regenerated:
    """Repair harness connections and rewrite generated files; `output` lists results and failures."""
    output, is_whole = await asyncio.to_thread(_regenerated, _site(state), state)
    message = (
        "Harnesses are up to date" if is_whole else "Some harnesses could not be brought up to date"
    )
    return {"success": is_whole, "message": message, "output": output}


def _site(state: State) -> Site:
    return registry.with_programs(
        Site(workspace=state.workspace, home=Path.home(), port=state.port)
    )


def _listed(site: Site, seen: dict[str, str]) -> list[wire.KnownHarness]:
    paths = {one.id: one.config_path(site) for one in registry.HARNESSES.values()}
    paths["opencode"] = site.config_home / "opencode" / "AGENTS.md"
    paths["openclaw"] = site.workspace.root / "AGENTS.md"
    return [
        {
            "name": one.name,
            "id": one.id,
            "path": str(paths[one.id]),
            "exists": paths[one.id].exists(),
            "lastSeen": seen.get(one.id),
            "connected": one.is_installed(site),
            "problems": [f"{fault.path}: {fault.text}" for fault in one.problems(site)],
        }
        for one in registry.HARNESSES.values()
    ]


def _regenerated(site: Site, state: State) -> tuple[str, bool]:
    both = registry.joined(
        registry.mend_connected(site), registry.sync_workspace(site, state.settings)
    )
    return both.output, not both.failures
