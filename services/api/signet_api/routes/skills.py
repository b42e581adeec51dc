"""List, install and remove skills."""

import asyncio
from collections.abc import Callable

from signet import clock
from signet.db import WriteTx
from signet.domain.skills import files, install, node
from signet.domain.skills.install import CatalogEntry
from signet.domain.skills.models import SkillFile, SkillRules
from signet.errors import Invalid, SignetError
from signet.observe import logs
from signet.wire import skills as wire
from signet.wire.requests.machine import SkillInstallBody
from signet_api.deps import Agent, Shared, State
from signet_api.serving import serves
from signet_api.shapes import as_wire

log = logs.get("skills")


@serves(wire.SKILLS)
async def get_skills(agent: Agent, state: Shared) -> wire.Skills:
    """Return the installed skills, sorted by name; only the listed ones for an agent with a skill list."""
    limits = files.limits(state.settings)
    every = await asyncio.to_thread(files.every, state.workspace.skills_dir)
    found = [one for one in every if files.shows(limits, agent, one.name, one.title)]
    return {"skills": [_meta(skill) for skill in found], "count": len(found)}


@serves(wire.SEARCH_SKILLS)
async def get_search(state: Shared, q: str = "") -> wire.FoundSkills:
    """Return installed and available skills that contain the words of `q`."""
    if not (query := q.strip()):
        raise Invalid("Query parameter q is required", results=[])
    folder = state.workspace.skills_dir
    found = await asyncio.to_thread(install.search, folder, install.catalog_folders(), query)
    return {"results": [_entry(entry) for entry in found]}


@serves(wire.BROWSE_SKILLS)
async def get_browse(state: Shared) -> wire.OfferedSkills:
    """Return the skills in this machine's catalogues, the most popular first."""
    folder = state.workspace.skills_dir
    found = await asyncio.to_thread(install.browse, folder, install.catalog_folders())
    return {"results": [_entry(entry) for entry in found], "total": len(found)}


@serves(wire.INSTALL_SKILL)
async def post_install(body: SkillInstallBody, state: Shared) -> wire.InstalledSkill:
    """Install a skill from a catalogue, or from `source`: a local path or `owner/repo[@skill]`.

    Replaces one of the same name. May take a minute; on failure nothing is changed.
    """
    if not body.name.strip():
        raise Invalid("name is required")
    done = await asyncio.to_thread(
        install.install,
        state.workspace.skills_dir,
        body.name.strip(),
        body.source or None,
        catalogs=install.catalog_folders(),
    )
    skill = await asyncio.to_thread(files.load, state.workspace.skills_dir, done.name)
    if skill.problem is None:
        rules, source = SkillRules.from_settings(state.settings), done.source
        await _follow(
            state,
            done.name,
            lambda tx: node.put(tx, skill, rules=rules, source=source, now=clock.now()),
        )
    return {
        "success": True,
        "name": done.name,
        "output": f"Installed {done.name} from {done.source}",
    }


@serves(wire.SKILL)
async def get_skill(name: str, state: Shared) -> wire.WholeSkill:
    """Return a skill's metadata, and its whole file as `content`."""
    skill = await asyncio.to_thread(files.find, state.workspace.skills_dir, name)
    return {**_meta(skill), "content": skill.content}


@serves(wire.REMOVE_SKILL)
async def delete_skill(name: str, state: Shared) -> wire.RemovedSkill:
    """Remove a skill."""
    gone = await asyncio.to_thread(files.remove, state.workspace.skills_dir, name)
    await _follow(state, gone, lambda tx: node.remove(tx, gone, now=clock.now()))
    return {"success": True, "name": name, "message": f"Removed {name}"}


async def _follow(state: State, name: str, change: Callable[[WriteTx], object]) -> None:
    """Update the graph after a change of files; if that fails, the reconciler does it later (SK-14)."""
    if not SkillRules.from_settings(state.settings).enabled:
        return
    try:
        await state.db.awrite(change)
    except SignetError as error:
        log.warning("skill.not_in_graph", skill=name, detail=error.message)


def _meta(skill: SkillFile) -> wire.Skill:
    return as_wire(
        wire.Skill,
        skill,
        name=skill.title,
        permissions=list(skill.permissions),
        triggers=list(skill.triggers),
        tags=list(skill.tags),
        dependencies={"bins": list(skill.bins), "skills": list(skill.skills)},
        path=str(skill.path.parent),
    )


def _entry(entry: CatalogEntry) -> wire.CatalogSkill:
    skill = entry.skill
    return as_wire(
        wire.CatalogSkill,
        skill,
        fullName=skill.name,
        installs=install.short(skill.installs),
        popularity=entry.popularity,
        category=entry.category,
        installed=entry.is_installed,
    )
