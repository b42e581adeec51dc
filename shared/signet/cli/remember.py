"""`signet remember`."""

import sys
from typing import Annotated

import typer

from signet.cli import identify, options, output, when
from signet.cli.connect import client
from signet.cli.daemon import JsonOption, PathOption
from signet.cli.options import AgentOption, ProjectOption, TagsOption, TypeOption
from signet.client.answers import Remembered

CRITICAL = "critical"


def remember(
    content: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    who: Annotated[str, typer.Option("--who", "-w", help="Who says so.")] = "user",
    tags: TagsOption = None,
    importance: Annotated[
        str | None,
        typer.Option("--importance", "-i", help="From 0 to 1, or critical."),
    ] = None,
    critical: Annotated[bool, typer.Option("--critical", help="Pin it; it never fades.")] = False,
    type: TypeOption = None,
    event_at: Annotated[
        str | None,
        typer.Option(
            "--when",
            metavar="TIME",
            parser=when.middle,
            help=f"When it happened, if not now: {when.HELP}.",
        ),
    ] = None,
    supersedes: Annotated[
        list[str] | None,
        typer.Option("--supersedes", metavar="ID", help="The memory that it corrects; repeatable."),
    ] = None,
    agent: AgentOption = None,
    private: Annotated[bool, typer.Option("--private", help="Only its agent may read it.")] = False,
    project: ProjectOption = None,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Save a memory; what it says is distilled in the background.

    Examples: signet remember "I prefer tabs" · cat notes.md | signet remember - --tags notes
    """
    is_critical = critical or importance == CRITICAL
    level = 1.0 if is_critical else options.importance(importance)
    signet = client(path)
    saved = signet.remember(
        sys.stdin.read() if content == "-" else content,
        who=who,
        tags=tags,
        importance=level,
        pinned=is_critical,
        type=type,
        event_at=event_at,
        supersedes=[identify.whole(signet, one, agent=agent) for one in supersedes or ()] or None,
        agent_id=agent,
        private=private,
        project=project,
    )
    if as_json:
        output.show(saved)
    else:
        output.say(_told(saved))


def _told(saved: Remembered) -> str:
    kinds = saved.get("masked", ())
    masked = f"\nMasked: {', '.join(kinds)}. Keep it with: signet secret put" if kinds else ""
    if saved["deduped"]:
        return f"Already remembered: {saved['id']}{masked}"
    pieces = f" and {len(saved['ids']) - 1} more pieces" if len(saved.get("ids", ())) > 1 else ""
    vector = "(embedded)" if saved["embedded"] else "(no embedding yet)"
    corrected = saved.get("superseded", ())
    instead = f"\nCorrects: {', '.join(corrected)}" if corrected else ""
    return (
        f"Saved memory: {saved['id']}{pieces} {output.ink(sys.stdout).dim(vector)}{instead}{masked}"
    )
