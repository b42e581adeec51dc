"""`signet sessions`: list sessions with their injected and used context."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, command
from signet.cli.forget_session import forget
from signet.cli.options import AgentOption, CursorOption
from signet.cli.output import Ink
from signet.cli.show_session import show
from signet.client import Signet
from signet.client.answers import ListedSession, Outcome

app = typer.Typer(help="List sessions, show or forget one.", invoke_without_command=True)
command(app)(show)
command(app)(forget)


@command(app, alone=True)
def sessions(
    signet: Signet,
    limit: Annotated[
        int, typer.Option("--limit", "-l", min=1, max=200, help="Maximum number of results.")
    ] = 20,
    cursor: CursorOption = None,
    project: Annotated[str | None, typer.Option(help="Only sessions of this project.")] = None,
    harness: Annotated[str | None, typer.Option(help="Only sessions of this harness.")] = None,
    outcome: Annotated[
        Outcome | None,
        typer.Option(help="Only sessions that received nothing, or used nothing they received."),
    ] = None,
    agent: AgentOption = None,
) -> Output:
    """List sessions, latest first, with counts of injected and used items.

    Examples: signet sessions · signet sessions --json
    """
    page = signet.all_sessions(
        limit=limit,
        cursor=cursor,
        project=project,
        harness=harness,
        outcome=outcome,
        agent_id=agent,
    )
    yield page
    ink = output.ink(sys.stdout)
    if not page["sessions"]:
        output.say("No sessions")
    for one in page["sessions"]:
        for line in _lines(one, ink):
            output.say(line)
    if page["sessions"]:
        output.hint("Messages of one: signet sessions show SESSION")
        output.hint("Injected context and reasons: signet why SESSION")
    if page["next"]:
        flags = output.flags(
            {"project": project, "harness": harness, "outcome": outcome, "agent": agent}
        )
        output.hint(f"More: signet sessions -l {limit}{flags} --cursor {page['next']}")


def _lines(one: ListedSession, ink: Ink) -> Iterator[str]:
    state = ink.good("running") if one["endedAt"] is None else ""
    state = ink.warn("bypassed") if one["bypassed"] else state
    title = output.plain(one["title"] or one["key"])
    when = ink.dim(output.local(one["lastAt"]))
    yield " ".join(filter(None, (when, state, output.short(title, output.width() - 30))))
    given = f"{one['given']} injected, {one['used']} used" if one["given"] else "nothing injected"
    facts = (one["harness"], one["project"], output.count(one["prompts"], "prompt"), given)
    tokens = f"{one['tokens']} tokens" if one["tokens"] else None
    known = " · ".join(output.plain(fact) for fact in (*facts, tokens, one["key"]) if fact)
    for line in output.wrapped(known, output.width() - 2):
        yield ink.dim(f"  {line}")
