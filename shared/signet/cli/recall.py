"""`signet recall`."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from signet.cli import entry, output, when, why
from signet.cli.connect import client
from signet.cli.daemon import JsonOption, PathOption
from signet.cli.entry import ID_CHARS, Entry
from signet.cli.options import (
    AgentOption,
    FullOption,
    OnlyTagsOption,
    OnlyTypeOption,
    OnlyWhoOption,
    ProjectOption,
    SinceOption,
    UntilOption,
    check_type,
)
from signet.cli.output import Ink
from signet.client.answers import Hit, Recalled

#: What is said of a stage that an answer had to do without.
DEGRADED = {
    "vector": "By words alone: the embedding model is still loading, or missing "
    "(signet embeddings status says which)"
}


def recall(
    query: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=100, help="How many.")] = 10,
    type: OnlyTypeOption = None,
    tags: OnlyTagsOption = None,
    who: OnlyWhoOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="TIME",
            parser=when.last,
            help="What was believed then, as for --since; a day to its end.",
        ),
    ] = None,
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
    expand: Annotated[
        bool, typer.Option("--expand", help="Add the conversations that results come from.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say for each why it is where it is.")
    ] = False,
    full: FullOption = False,
    agent: AgentOption = None,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the memories that answer a question, best first.

    Examples: signet recall "tabs or spaces" · signet recall deploys -t decision --since 2026-01-01 --json
    """
    signet = client(path)
    answer = signet.recall(
        sys.stdin.read() if query == "-" else query,
        limit=limit,
        type=type,
        tags=tags,
        who=who,
        since=since,
        until=until,
        as_of=as_of,
        project=project,
        keyword_query=keyword_query,
        pinned=pinned,
        importance_min=importance_min,
        min_score=min_score,
        expand=expand,
        explain=explain,
        agent_id=agent,
    )
    if not answer["results"]:
        check_type(signet, type, agent=agent)
    if as_json:
        output.show(answer["results"])
        return
    for line in _lines(answer, output.ink(sys.stdout), full=full):
        output.say(line)
    for stage in answer.get("degraded", ()):
        output.hint(DEGRADED.get(stage, f"This answer had to do without: {stage}"))


def _lines(answer: Recalled, ink: Ink, *, full: bool) -> Iterator[str]:
    yield from why.time_lines(answer, ink)
    if "nearest" in answer:
        nearest = answer["nearest"]
        yield "No memories found that are near enough. The nearest:"
        yield from entry.lines(_entry(nearest), ink, full=full)
        yield f"  left out: {output.plain(nearest['left_out'])}"
    elif not answer["results"]:
        yield "No memories found"
    for hit in answer["results"]:
        yield from entry.lines(_entry(hit), ink, full=full)
        yield from _parts(hit, ink, full=full)
        if "explain" in hit:
            yield from why.lines(hit["explain"], ink)
    for source, text in answer.get("sources", {}).items():
        yield f"\n{ink.bold(f'From {output.plain(source)}')}"
        yield from (f"  {line}" for line in output.paragraphs(text, 2))


def _parts(hit: Hit, ink: Ink, *, full: bool) -> Iterator[str]:
    """Yield what else was found of a result: one line, with `full` one more for each."""
    if "more" in hit:
        yield ink.dim(f"  {hit['more']}" + ("" if full else " (--full shows them)"))
    for part in hit.get("parts", ()) if full else ():
        room = output.width() - 6 - ID_CHARS
        begin, *rest = output.wrapped(output.plain(part["content"]), room) or [""]
        yield f"    {part['id'][:ID_CHARS]} {begin}{' …' if rest else ''}"


def _entry(hit: Hit) -> Entry:
    by = f"by {output.plain(hit['who'] or 'unknown')}"
    facts = [by, output.plain(hit["type"]), f"({hit['source']})"]
    if "superseded_by" in hit:
        until = f" {hit['valid_to'][:10]}" if "valid_to" in hit else ""
        facts.append(f"corrected{until} by {hit['superseded_by'][:ID_CHARS]}")
    return Entry(
        id=hit["id"],
        content=hit["content"],
        created_at=hit["created_at"],
        score=hit["score"],
        pinned=hit["pinned"],
        tags=hit["tags"],
        facts=tuple(facts),
    )
