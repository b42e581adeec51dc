"""`signet remember` and `signet recall` (spec/cli.md §7)."""

import sys
from typing import Annotated

import typer

from signet.cli import output
from signet.cli.connect import client
from signet.cli.daemon import JsonOption, PathOption
from signet.cli.output import Ink
from signet.client.answers import Hit

#: A result line shows this much of a memory (CL-32).
CONTENT_CHARS = 120
CRITICAL = "critical"

AgentOption = Annotated[str | None, typer.Option("--agent", help="Whose memory; default: yours.")]
TagsOption = Annotated[str | None, typer.Option("--tags", "-t", help="Tags, with commas between.")]
ProjectOption = Annotated[str | None, typer.Option("--project", help="The project it is about.")]


def remember(
    content: Annotated[str, typer.Argument(help="The text; - reads it from standard input.")],
    who: Annotated[str, typer.Option("--who", "-w", help="Who says so.")] = "user",
    tags: TagsOption = None,
    importance: Annotated[
        str | None,
        typer.Option("--importance", "-i", help="From 0 to 1, or critical."),
    ] = None,
    critical: Annotated[bool, typer.Option("--critical", help="Pin it; it never fades.")] = False,
    type: Annotated[str | None, typer.Option("--type", help="Such as preference.")] = None,
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
    saved = client(path).remember(
        sys.stdin.read() if content == "-" else content,
        who=who,
        tags=tags,
        importance=1.0 if is_critical else _importance(importance),
        pinned=is_critical,
        type=type,
        agent_id=agent,
        private=private,
        project=project,
    )
    if as_json:
        output.show(saved)
    elif saved["deduped"]:
        output.say(f"Already remembered: {saved['id']}")
    else:
        vector = "(embedded)" if saved["embedded"] else "(no embedding yet)"
        output.say(f"Saved memory: {saved['id']} {output.ink(sys.stdout).dim(vector)}")


def recall(
    query: Annotated[str, typer.Argument(help="The question.")],
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=100, help="How many.")] = 10,
    type: Annotated[str | None, typer.Option("--type", "-t", help="Only this type.")] = None,
    tags: Annotated[str | None, typer.Option("--tags", help="Only with all of these.")] = None,
    who: Annotated[str | None, typer.Option("--who", help="Only said by them.")] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Not older; ISO or YYYY-MM-DD.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", help="Not newer.")] = None,
    project: ProjectOption = None,
    keyword_query: Annotated[
        str | None, typer.Option("--keyword-query", help="Other words for the keyword search.")
    ] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only pinned ones.")] = False,
    importance_min: Annotated[
        float | None, typer.Option("--importance-min", min=0, max=1, help="At least so important.")
    ] = None,
    min_score: Annotated[
        float | None, typer.Option("--min-score", min=0, max=1, help="At least so near.")
    ] = None,
    expand: Annotated[bool, typer.Option("--expand", help="Add the sources of facts.")] = False,
    agent: AgentOption = None,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the memories that answer a question, best first.

    Examples: signet recall "tabs or spaces" · signet recall deploys -t decision --since 2026-01-01 --json
    """
    answer = client(path).recall(
        query,
        limit=limit,
        type=type,
        tags=tags,
        who=who,
        since=since,
        until=until,
        project=project,
        keyword_query=keyword_query,
        pinned=pinned,
        importance_min=importance_min,
        min_score=min_score,
        expand=expand,
        agent_id=agent,
    )
    if as_json:
        output.show(answer["results"])
    elif not answer["results"]:
        output.say("No memories found")
    for hit in [] if as_json else answer["results"]:
        for line in lines(hit, output.ink(sys.stdout)):
            output.say(line)


def lines(hit: Hit, ink: Ink) -> list[str]:
    """Return the two lines of one result (CL-32)."""
    star = ink.warn("★ ") if hit["pinned"] else ""
    tags = ink.dim(f" [{hit['tags']}]") if hit["tags"] else ""
    score = ink.good(f"[{hit['score'] * 100:.0f}%]")
    date = ink.dim(str(hit["created_at"])[:10])
    by = f"by {hit['who'] or 'unknown'} · {hit['type']} · ({hit['source']})"
    return [
        f"{date} {score} {star}{output.short(hit['content'], CONTENT_CHARS)}{tags}",
        ink.dim(f"  {by}"),
    ]


def _importance(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise typer.BadParameter(
            f"{text!r} is not a number from 0 to 1, nor critical", param_hint="--importance"
        )
    return value
