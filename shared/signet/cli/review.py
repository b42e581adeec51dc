"""`signet review …`: memories that wait for approval before they are injected unasked."""

import sys
from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from signet.cli import identify, output
from signet.cli.command import Output, arg, command
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption, CursorOption, LimitOption
from signet.client import Signet
from signet.client.answers import Modified, WaitingMemory

app = typer.Typer(
    help="Approve or reject memories that wait for review.",
    invoke_without_command=True,
)
#: Rows searched for an ID prefix.
MOST = 1_000

IdsArgument = Annotated[list[str], arg("IDs in the list, or their first 8 characters.", "ID...")]


@command(app, alone=True)
def review(
    signet: Signet, limit: LimitOption = 20, cursor: CursorOption = None, agent: AgentOption = None
) -> Output:
    """List memories that wait for approval, newest first.

    They contain instructions that are not your own. Until you approve them, searches find them, but agents do not
    receive them unasked. Others would replace one of your own statements, and do so once approved.

    Examples: signet review · signet review approve 019ac0de-1f2a-7b3c
    """
    page = signet.reviews(limit=limit, cursor=cursor, agent_id=agent)
    yield page
    yield from output.listed(map(_line, page["memories"]), "Nothing waits for review")
    shown, more = len(page["memories"]), f"signet review -l {limit}{output.flags({'agent': agent})}"
    if not output.further(shown, page["next"], more, page["total"]) and shown:
        output.hint("signet review approve ID · signet review reject ID")


@command(app)
def show(signet: Signet, ids: IdsArgument, agent: AgentOption = None) -> Output:
    """Show waiting memories in full.

    Examples: signet review show 019ac0de-1f2a-7b3c · signet review show ID --json
    """
    found = list(_found(signet, ids, agent))
    yield found
    for one in found:
        output.say("\n".join(output.paragraphs(one["content"], 0)))
        output.say(_facts(one))


@command(app, does="approve memories for the user")
def approve(signet: Signet, ids: IdsArgument, agent: AgentOption = None) -> Output:
    """Allow memories to be injected unasked and to replace older ones. They stay labelled with their origin.

    Examples: signet review approve 019ac0de-1f2a-7b3c · signet review approve ID ID
    """
    found = list(_found(signet, ids, agent))
    yield _each(found, lambda id: signet.approve(id, agent_id=agent))
    output.say(f"Approved: {len(found)}")


@command(app, forgets=True)
def reject(signet: Signet, ids: IdsArgument, agent: AgentOption = None) -> Output:
    """Forget memories as wrong. Their text is not saved again automatically.

    Examples: signet review reject 019ac0de-1f2a-7b3c · signet review reject ID ID
    """
    found = list(_found(signet, ids, agent))
    yield _each(found, lambda id: signet.reject(id, agent_id=agent))
    output.say(f"Rejected: {len(found)}")


def _found(signet: Signet, ids: Iterable[str], agent: str | None) -> Iterable[WaitingMemory]:
    rows = signet.reviews(limit=MOST, agent_id=agent)["memories"]
    for one in ids:
        yield identify.one(rows, one.strip(), noun="waiting memory", see="review")


def _each(found: Iterable[WaitingMemory], do: Callable[[str], Modified]) -> list[Modified]:
    return [do(one["id"]) for one in found]


def _line(one: WaitingMemory) -> str:
    return f"{output.plain(one['content'])}\n{_facts(one)}"


def _facts(one: WaitingMemory) -> str:
    said = [output.plain(one["says"])]
    said += [f"would replace {id[:ID_CHARS]}" for id in one.get("replaces", ())]
    said += [output.local(one["created_at"]), one["id"][:ID_CHARS]]
    return output.ink(sys.stdout).dim("  " + " · ".join(said))
