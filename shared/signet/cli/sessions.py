"""`signet sessions`: list sessions with their titles, outcomes, and injected and used context."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from signet import clock
from signet.cli import output
from signet.cli.command import Output, command, opt
from signet.cli.forget_session import forget
from signet.cli.options import AgentOption, CursorOption
from signet.cli.output import Ink
from signet.cli.show_session import show
from signet.client import Signet
from signet.client.answers import ListedSession, Use

#: Least characters of a session key to show; more where two keys have the same beginning.
KEY_CHARS = 8

app = typer.Typer(help="List sessions, show or forget one.", invoke_without_command=True)
command(app, pages=True)(show)
command(app)(forget)


def sessions(
    signet: Signet,
    limit: Annotated[int, opt("Maximum number of results.", "-l", min=1, max=200)] = 20,
    cursor: CursorOption = None,
    project: Annotated[str | None, "Only sessions of this project."] = None,
    harness: Annotated[str | None, "Only sessions of this harness."] = None,
    use: Annotated[
        Use | None, "Only sessions that received nothing, or used nothing they received."
    ] = None,
    agent: AgentOption = None,
) -> Output:
    """List sessions, latest first: title, outcome, duration, decisions, files, and what was injected and used.

    Examples: signet sessions list · signet sessions list --project ~/larder --json
    """
    page = signet.all_sessions(
        limit=limit, cursor=cursor, project=project, harness=harness, use=use, agent_id=agent
    )
    yield page
    ink, found = output.ink(sys.stdout), page["sessions"]
    if not found:
        output.say("No sessions")
    keys = _short([one["key"] for one in found])
    for one in found:
        yield from _lines(one, keys[one["key"]], ink)
    if found:
        output.hint("Messages of one: signet sessions show SESSION")
        output.hint("Injected context and reasons: signet why SESSION")
    if page["next"]:
        flags = output.flags({"project": project, "harness": harness, "use": use, "agent": agent})
        output.hint(f"More: signet sessions list -l {limit}{flags} --cursor {page['next']}")


command(app, alone=True, pages=True)(sessions)
command(app, "list", pages=True)(sessions)


def _short(keys: Sequence[str]) -> dict[str, str]:
    """Return the shortest beginning of each key, at least KEY_CHARS long, that no other of them has."""
    every, found = sorted(set(keys)), {}
    for one, before, after in zip(every, ["", *every], [*every[1:], ""], strict=False):
        shared = max(_shared(one, before), _shared(one, after))
        found[one] = one[: max(KEY_CHARS, shared + 1)]
    return found


def _shared(one: str, other: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _lines(one: ListedSession, key: str, ink: Ink) -> Iterator[str]:
    state = ink.good("running") if one["endedAt"] is None else ""
    state = ink.warn("bypassed") if one["bypassed"] else state
    indent = " " * (KEY_CHARS + 2)
    name = output.plain(key)
    title = ink.bold(output.plain(one["title"])) if one["title"] else ink.dim("(no title yet)")
    head = [
        ink.name(name) + " " * (KEY_CHARS - output.cells(name)),
        ink.dim(output.local(one["lastAt"])),
    ]
    yield "  ".join([*head, " ".join(filter(None, (state, title)))])
    if one["outcome"]:
        for line in output.wrapped(
            f"→ {output.plain(one['outcome'])}", output.width() - len(indent)
        ):
            yield f"{indent}{line}"
    given = f"{one['given']} injected, {one['used']} used" if one["given"] else "nothing injected"
    facts = (
        one["harness"],
        output.path(one["project"]) if one["project"] else None,
        clock.span(one["seconds"] // 60 * 60).removesuffix(" 0 s") if one["seconds"] > 59 else None,
        output.count(one["prompts"], "prompt") if one["prompts"] else None,
        given,
        f"{one['tokens']} tokens" if one["tokens"] else None,
        output.count(len(one["decisions"]), "decision") if one["decisions"] else None,
        output.count(len(one["files"]), "file") if one["files"] else None,
    )
    known = " · ".join(output.plain(fact) for fact in facts if fact)
    for line in output.wrapped(known, output.width() - len(indent)):
        yield ink.dim(f"{indent}{line}")
