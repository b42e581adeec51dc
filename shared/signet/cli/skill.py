"""`signet skill …`: the skills of a workspace, with or without its daemon.

With a daemon it does the work, so that the graph follows at once; without one the files are worked on, and the daemon
notices when it starts.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from signet.cli import options, output
from signet.cli.command import Output, PathOption, arg, command, running
from signet.client import Signet
from signet.paths import find_workspace
from signet.text import controls

app = typer.Typer(help="List, install and remove skills.", no_args_is_help=True)

#: Longer than an installation may take.
INSTALL_SECONDS = 90.0
_DESCRIPTION_CHARS = 100

NameArgument = Annotated[str, arg("Name of the skill.", "NAME", autocompletion=options.skills)]


@command(app, "list")
def list_skills(path: PathOption = None) -> Output:
    """List the installed skills.

    Examples: signet skill list · signet skill list --json
    """
    from signet.domain.skills import files

    daemon = _daemon(path)
    if daemon is not None:
        rows = [(one["name"], one["version"], one["description"]) for one in daemon.skills()]
    else:
        found = files.every(find_workspace(path).skills_dir)
        rows = [(one.title, one.version, one.description) for one in found]
    keys = ("name", "version", "description")
    skills = [dict(zip(keys, row, strict=True)) for row in rows]
    yield {"skills": skills, "count": len(rows)}
    dim = output.ink(sys.stdout).dim
    shown = [
        (name, dim(output.plain(version or "")), _described(told)) for name, version, told in rows
    ]
    yield from output.table(shown, "No skills")


@command(app, does="install a skill, which tells agents what to do")
def install(
    name: Annotated[str, arg("Name in a catalogue, folder, archive, or owner/repo@skill.", "NAME")],
    path: PathOption = None,
) -> Output:
    """Install a skill; replaces a skill of the same name.

    Examples: signet skill install web-search · signet skill install ./my-skill
    """
    from signet.domain.skills import install as installing
    from signet.domain.skills import sources

    source = None
    if sources.is_path(name) or Path(name).is_dir():
        place = Path(name).expanduser().absolute().resolve()
        name, source = sources.stem(place), str(place)
    daemon = _daemon(path)
    if daemon is not None:
        done = daemon.install_skill(name, source=source)
        name, told = done["name"], done["output"]
    else:
        folder = find_workspace(path).skills_dir
        made = installing.install(folder, name, source, catalogs=installing.catalog_folders())
        name, told = made.name, f"Installed {made.name} from {made.source}"
    yield {"success": True, "name": name, "output": told}
    output.say(output.plain(told))


@command(app, does="delete the folder of a skill")
def uninstall(name: NameArgument, path: PathOption = None) -> Output:
    """Remove a skill.

    Examples: signet skill uninstall web-search · signet skill uninstall recall --json
    """
    from signet.domain.skills import files

    daemon = _daemon(path)
    if daemon is not None:
        daemon.remove_skill(name)
    else:
        files.remove(find_workspace(path).skills_dir, name)
    told = f"Removed {name}"
    yield {"success": True, "name": name, "message": told}
    output.say(told)


@command(app)
def search(
    query: Annotated[str, arg("Words to search for.", "WORDS")],
    path: PathOption = None,
) -> Output:
    """Search installed and available skills for all of the words.

    Examples: signet skill search web · signet skill search "release notes" --json
    """
    from signet.domain.skills import install as installing

    if not query.strip():
        raise typer.BadParameter("the query is empty")
    daemon = _daemon(path)
    if daemon is not None:
        rows = [
            (one["name"], one["installs"], one["installed"], one["description"])
            for one in daemon.search_skills(query)
        ]
    else:
        folder = find_workspace(path).skills_dir
        rows = [
            (
                one.skill.name,
                installing.short(one.skill.installs),
                one.is_installed,
                one.skill.description,
            )
            for one in installing.search(folder, installing.catalog_folders(), query)
        ]
    keys = ("name", "installs", "installed", "description")
    yield {"results": [dict(zip(keys, row, strict=True)) for row in rows]}
    good = output.ink(sys.stdout).good
    shown = [
        (name, good("installed") if here else "", _described(told)) for name, _, here, told in rows
    ]
    yield from output.table(shown, "No skill contains all of these words")


@command(app)
def show(name: NameArgument, path: PathOption = None) -> Output:
    """Print the SKILL.md of a skill.

    Examples: signet skill show recall · signet skill show web-search --json
    """
    from signet.domain.skills import files

    daemon = _daemon(path)
    if daemon is not None:
        content = daemon.skill(name)["content"]
    else:
        content = files.find(find_workspace(path).skills_dir, name).content
    yield {"name": name, "content": content}
    output.say(controls.clean(content.removesuffix("\n")))


def _daemon(path: str | None) -> Signet | None:
    return running(path, timeout_seconds=INSTALL_SECONDS)


def _described(text: str) -> str:
    return output.short(text, _DESCRIPTION_CHARS)
