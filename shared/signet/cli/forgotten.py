"""`signet forgotten …`: list forgotten values, which are not saved again automatically."""

import sys
from typing import Annotated

import typer

from signet.cli import identify, output
from signet.cli.command import Output, arg, command
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption, CursorOption, LimitOption
from signet.client import Signet
from signet.client.answers import ForgottenValue

app = typer.Typer(
    help="List forgotten values, which are not saved again automatically.",
    invoke_without_command=True,
)

#: Rows searched for an ID prefix.
MOST = 1_000


@command(app, alone=True)
def forgotten(
    signet: Signet, limit: LimitOption = 20, cursor: CursorOption = None, agent: AgentOption = None
) -> Output:
    """List forgotten, rejected and erased values, newest first. They are not saved again automatically.

    Extraction, summaries, documents and imports skip them. Saving one by hand works, and lifts it.

    Examples: signet forgotten · signet forgotten lift 019ac0de-1f2a-7b3c
    """
    page = signet.forgotten(limit=limit, cursor=cursor, agent_id=agent)
    yield page
    if not page["values"]:
        output.say("Nothing is forgotten")
    for one in page["values"]:
        output.say(_line(one))
    more = f"signet forgotten -l {limit}{output.flags({'agent': agent})}"
    output.further(len(page["values"]), page["next"], more, page["total"])


@command(app)
def lift(
    signet: Signet,
    memory_id: Annotated[str, arg("ID in the list, or at least its first 8 characters.", "ID")],
    agent: AgentOption = None,
) -> Output:
    """Allow a forgotten value to be saved again. The memory itself stays forgotten.

    Examples: signet forgotten lift 019ac0de-1f2a-7b3c · signet forgotten lift ID --json
    """
    found = identify.one(
        signet.forgotten(limit=MOST, agent_id=agent)["values"],
        memory_id.strip(),
        noun="forgotten value",
        see="forgotten",
    )
    yield signet.lift_forgotten(found["id"], agent_id=agent)
    output.say(f"May be saved again: {output.plain(found['label'] or found['id'])}")
    if found["recoverableUntil"]:
        output.hint(f"Recover the memory with: signet memory recover {found['id'][:ID_CHARS]}")


def _line(one: ForgottenValue) -> str:
    ink = output.ink(sys.stdout)
    gone = "(erased: the text is gone)" if one["why"] == "erased" else "(your key may not read it)"
    text = output.plain(one["label"]) if one["label"] else ink.dim(gone)
    until = one["recoverableUntil"]
    kept = f" · recoverable until {output.local(until)[:10]}" if until else ""
    facts = f"  {one['why']} {output.local(one['since'])}{kept} · {one['id'][:ID_CHARS]}"
    return f"{text}\n{ink.dim(facts)}"
