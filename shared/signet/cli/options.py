"""Options and arguments of several commands."""

import difflib
from typing import Annotated

import typer

from signet.cli import complete, when
from signet.client import Signet

#: Types set by saves and extraction; other types are allowed.
TYPES = (
    "fact",
    "preference",
    "decision",
    "rationale",
    "procedural",
    "semantic",
    "rule",
    "learning",
    "issue",
    "episodic",
    "daily-log",
    "system",
    "document_chunk",
    "session_summary",
)


def check_type(signet: Signet, type: str | None, *, agent: str | None) -> None:
    """Raise BadParameter for a type that neither Signet nor any memory uses, listing the existing ones."""
    if type is None or type in TYPES:
        return
    known = sorted({*TYPES, *signet.types(agent_id=agent)})
    if type not in known:
        near = difflib.get_close_matches(type, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise typer.BadParameter(
            f"no memory has the type {type!r}; {meant}Known types: {', '.join(known)}",
            param_hint="--type",
        )


def types(incomplete: str) -> list[str]:
    """Return the types with this prefix."""
    return [name for name in TYPES if name.startswith(incomplete)]


AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="Agent whose memories are used; default: your own.",
        autocompletion=complete.agents,
    ),
]
TagsOption = Annotated[str | None, typer.Option("--tags", "-t", help="Tags, separated by commas.")]
ProjectOption = Annotated[
    str | None, typer.Option("--project", help="Project, usually its folder.")
]
TypeOption = Annotated[
    str | None,
    typer.Option(
        "--type", help="Type of the memory, such as preference or decision.", autocompletion=types
    ),
]
OnlyTypeOption = Annotated[
    str | None,
    typer.Option("--type", "-t", help="Only memories of this type.", autocompletion=types),
]
OnlyTagsOption = Annotated[
    str | None, typer.Option("--tags", help="Only memories with all of these tags.")
]
OnlyWhoOption = Annotated[str | None, typer.Option("--who", help="Only memories by this author.")]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="TIME", parser=when.first, help=f"Only after this time: {when.HELP}."
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="TIME",
        parser=when.last,
        help="Only before this time; a date means its end.",
    ),
]
PinnedOption = Annotated[bool, typer.Option("--pinned", help="Only pinned memories.")]
LimitOption = Annotated[
    int, typer.Option("--limit", "-l", min=1, max=1000, help="Maximum number of results.")
]
NearestOption = Annotated[
    int, typer.Option("--limit", "-l", min=1, max=100, help="Maximum number of results.")
]
OffsetOption = Annotated[int, typer.Option("--offset", min=0, help="Number of results to skip.")]
CursorOption = Annotated[
    str | None, typer.Option(help="Cursor of the next page, printed by the previous one.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show the changes without making them.")
]
ReasonOption = Annotated[str, typer.Option("--reason", "-r", help="Reason, kept in the history.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
FullOption = Annotated[
    bool, typer.Option("--full", help="Show long memories in full (the default in a pipe).")
]
IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Memory id, or at least its first 8 characters.")
]
IdsArgument = Annotated[
    list[str],
    typer.Argument(metavar="ID...", help="Memory ids, or at least their first 8 characters."),
]
SessionArgument = Annotated[
    str, typer.Argument(metavar="SESSION", help="Session key, or its first characters.")
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
        raise typer.BadParameter(
            f"{text!r} is neither a number from 0 to 1 nor critical", param_hint="--importance"
        )
    return value
