"""Options and arguments of several commands."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from signet.cli import when
from signet.cli.command import arg, opt, running
from signet.errors import SignetError
from signet.paths import find_workspace

if TYPE_CHECKING:
    from signet.client import PlainSignet, Signet

#: Types set by saves and extraction; other types are allowed.
TYPES = tuple(
    (
        "fact preference decision rationale procedural semantic rule learning issue episodic "
        "daily-log system document_chunk session_summary"
    ).split()
)


def check_type(signet: "PlainSignet", type: str | None, *, agent: str | None) -> None:
    """Raise BadParameter for a type that neither Signet nor any memory uses, listing the existing ones."""
    if type is None or type in TYPES:
        return
    known = sorted({*TYPES, *signet.types(agent_id=agent)})
    if type not in known:
        import difflib

        import typer

        near = difflib.get_close_matches(type, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise typer.BadParameter(
            f"no memory has the type {type!r}; {meant}known types: {', '.join(known)}",
            param_hint="--type",
        )


def types(incomplete: str) -> list[str]:
    return [name for name in TYPES if name.startswith(incomplete)]


def agents(incomplete: str) -> list[str]:
    """Return the agents of the roster and of the folder `agents` with this prefix."""
    from signet import config

    workspace = find_workspace()
    listed = [one.name for one in config.load(workspace).settings.agents.roster]
    return _matching([*listed, *_folders(workspace.root / "agents")], incomplete)


def skills(incomplete: str) -> list[str]:
    return _matching(_folders(find_workspace().skills_dir), incomplete)


def secrets(incomplete: str) -> list[str]:
    """Return the names of secrets with this prefix; the names are not encrypted."""
    from signet.domain.secrets.vault import Vault, VaultUnreadable

    try:
        return _matching(Vault(find_workspace().vault).names(), incomplete)
    except (VaultUnreadable, OSError):
        return []


#: Most rows of a completion, characters of each description, and seconds to wait for the daemon.
_OFFERED, _SAID_CHARS, _PATIENCE_SECONDS = 50, 60, 1.0


def projects(incomplete: str) -> list[tuple[str, str]]:
    """Return the projects whose folder has this prefix, each with the number of its sessions."""

    def find(signet: "Signet") -> list[tuple[str, str]]:
        return [(one["project"], f"{one['sessions']} sessions") for one in signet.projects()]

    return _starting(incomplete, find)


def memory_ids(incomplete: str) -> list[tuple[str, str]]:
    """Return the newest memories whose ID has this prefix, each with the start of its text."""

    def find(signet: "Signet") -> list[tuple[str, str]]:
        found = signet.memories(limit=_OFFERED, stats=False)["memories"]
        return [(one["id"], one["content"]) for one in found]

    return _starting(incomplete, find)


def sessions(incomplete: str) -> list[tuple[str, str]]:
    """Return the latest sessions whose key has this prefix, each with its title."""

    def find(signet: "Signet") -> list[tuple[str, str]]:
        found = signet.all_sessions(limit=_OFFERED)["sessions"]
        return [(one["key"], one["title"] or "") for one in found]

    return _starting(incomplete, find)


def _starting(
    incomplete: str, find: "Callable[[Signet], list[tuple[str, str]]]"
) -> list[tuple[str, str]]:
    known = [row for row in _listed(find) if row[0].startswith(incomplete)]
    return [(value, " ".join(text.split())[:_SAID_CHARS]) for value, text in known]


def _listed(find: "Callable[[Signet], list[tuple[str, str]]]") -> list[tuple[str, str]]:
    """Return what the daemon lists; nothing if it does not answer soon."""
    signet = running(None, timeout_seconds=_PATIENCE_SECONDS)
    if signet is None:
        return []
    try:
        with signet:
            return find(signet)
    except (SignetError, OSError):
        return []


def _folders(place: Path) -> list[str]:
    try:
        return [one.name for one in place.iterdir() if one.is_dir() and one.name[0] != "."]
    except OSError:
        return []


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


AgentOption = Annotated[
    str | None,
    opt("Agent whose memories are used; default: your own.", autocompletion=agents),
]
TagsOption = Annotated[str | None, opt("Tags, separated by commas.", "-t")]


def folder(named: str) -> str:
    """Return the absolute path of a folder; a bare name without such a folder here stays a name."""
    path = Path(os.path.expanduser(named))  # noqa: PTH111  # leaves the home of an unknown user
    is_folder = named.startswith((".", "~")) or (named and path.is_dir())
    return str(path.absolute()) if is_folder else named


def known_project(named: str) -> str:
    """Return the folder of a project from its path or its name; a name of none or of several stays a name."""
    path = folder(named)
    if not named or os.sep in path:
        return path
    listed = _listed(lambda signet: [(one["project"], "") for one in signet.projects()])
    found = [one for one, _ in listed if Path(one).name == named]
    return found[0] if len(found) == 1 else named


ProjectOption = Annotated[
    str | None,
    opt(
        "Project: its folder or name.",
        metavar="PROJECT",
        parser=known_project,
        autocompletion=projects,
    ),
]
OnlyProjectOption = Annotated[
    str | None,
    opt(
        "Only of this project: its folder or name.",
        metavar="PROJECT",
        parser=known_project,
        autocompletion=projects,
    ),
]
TypeOption = Annotated[
    str | None, opt("Type of the memory, such as preference or decision.", autocompletion=types)
]
OnlyTypeOption = Annotated[
    str | None, opt("Only memories of this type.", "-t", autocompletion=types)
]
SinceOption = Annotated[
    str | None, opt(f"Only after this time: {when.HELP}.", metavar="TIME", parser=when.first)
]
UntilOption = Annotated[
    str | None,
    opt("Only before this time; a date means its end.", metavar="TIME", parser=when.last),
]
PinnedOption = Annotated[bool, "Only pinned memories."]


class MemoryFilters(NamedTuple):
    """Options that choose memories by their fields."""

    type: OnlyTypeOption = None
    tags: Annotated[str | None, "Only memories with all of these tags."] = None
    who: Annotated[str | None, "Only memories by this author."] = None
    since: SinceOption = None
    until: UntilOption = None


LimitOption = Annotated[int, opt("Maximum number of results.", "-l", "-n", min=1, max=1000)]
NearestOption = Annotated[int, opt("Maximum number of results.", "-l", "-n", min=1, max=100)]
OffsetOption = Annotated[int, opt("Number of results to skip.", min=0)]
CursorOption = Annotated[str | None, "Cursor of the next page, printed by the previous one."]
DryRunOption = Annotated[bool, "Show the changes without making them."]
ReasonOption = Annotated[str, opt("Reason, kept in the history.", "-r")]
YesOption = Annotated[bool, opt("Do not ask for confirmation.", "-y")]
FullOption = Annotated[bool, "Show long memories in full (the default in a pipe)."]
IdArgument = Annotated[
    str, arg("Memory ID, or at least its first 8 characters.", "ID", autocompletion=memory_ids)
]
IdsArgument = Annotated[
    list[str],
    arg("Memory IDs, or at least their first 8 characters.", "ID...", autocompletion=memory_ids),
]
SessionArgument = Annotated[
    str, arg("Session key, or its first characters.", "SESSION", autocompletion=sessions)
]


def importance(text: str | None) -> float | None:
    """Parse an importance from 0 to 1; raises BadParameter."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        import typer

        raise typer.BadParameter(
            f"{text!r} is neither a number from 0 to 1 nor critical", param_hint="--importance"
        )
    return value
