"""`signet share`, `signet spaces …`: share memories in named spaces, decide about proposals, and withdraw."""

import sys
from typing import Annotated, Literal

import typer

from signet.cli import identify, output
from signet.cli.command import Output, arg, command, confirmed, opt
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption, CursorOption, IdArgument, LimitOption
from signet.client import Signet
from signet.client.answers import Share, Space

app = typer.Typer(
    help="Spaces, in which several people share memories.", invoke_without_command=True
)
#: Rows searched for an ID prefix.
MOST = 1_000

NameArgument = Annotated[str, arg("Name of the space.", "SPACE")]
ReviewOption = Annotated[
    bool | None, opt("Let another person approve what is shared.", "--review/--no-review")
]
ToOption = Annotated[str, opt("The space that the memory enters.", "--to")]


@command(does="share memories")
def share(
    signet: Signet,
    memory_id: IdArgument,
    to: ToOption,
    note: Annotated[str | None, "Say why."] = None,
    agent: AgentOption = None,
) -> Output:
    """Share a memory in a space: from then on all keys that read the space receive it, with your name.

    Examples: signet share 019ac0de-1f2a-7b3c --to billing · signet share ID --to board --note "decided on Monday"
    """
    done = signet.share(
        identify.whole(signet, memory_id, agent=agent), to, note=note, agent_id=agent
    )
    yield done
    is_in = done["state"] == "shared"
    output.say(f"Shared in {to}" if is_in else f"Proposed for {to}; another person decides")
    output.hint(f"Take it back with: signet spaces withdraw {done['memoryId'][:ID_CHARS]}")


def spaces(signet: Signet) -> Output:
    """List the spaces that you may use, and what you may do there.

    Examples: signet spaces list · signet spaces list --json
    """
    found = signet.spaces()
    yield {"spaces": found}
    none = "No spaces; an administrator creates them: signet spaces create NAME"
    yield from output.listed(map(_line, found), none)


command(app, alone=True)(spaces)
command(app, "list")(spaces)


@command(app, does="create a space")
def create(
    signet: Signet,
    name: NameArgument,
    description: Annotated[str | None, "What belongs there."] = None,
    review: ReviewOption = None,
) -> Output:
    """Create a space. It is empty, and no key reads it yet.

    Examples: signet spaces create billing · signet spaces create board --review
    """
    yield signet.add_space(name, description=description, review=review)
    output.say(f"Created {output.plain(name)}")
    output.hint(
        f"Give people a key for it: signet auth token create --user NAME --space {name}:read,promote"
    )


@command(app, does="change a space")
def change(
    signet: Signet,
    name: NameArgument,
    description: Annotated[str | None, "What belongs there."] = None,
    review: ReviewOption = None,
) -> Output:
    """Change the description of a space, or whether what is shared there waits for approval.

    Examples: signet spaces change billing --review · signet spaces change billing --description "Invoices"
    """
    done = signet.change_space(name, description=description, review=review)
    yield done
    output.say(_line(done))


@command(app, does="remove a space")
def remove(
    signet: Signet,
    name: NameArgument,
    force: Annotated[bool, "Do not ask for confirmation."] = False,
) -> Output:
    """Remove a space and withdraw all its memories.

    Examples: signet spaces remove billing · signet spaces remove billing --force
    """
    question = f"Remove {output.plain(name)} and return its memories to their authors?"
    if not force and not confirmed(question, instead="--force"):
        raise typer.Abort
    yield signet.remove_space(name)
    output.say(f"Removed {output.plain(name)}")


@command(app)
def shares(
    signet: Signet,
    space: Annotated[str | None, "Only this space."] = None,
    state: Annotated[
        Literal["proposed", "shared", "refused", "withdrawn"] | None, "Only this state."
    ] = None,
    limit: LimitOption = 20,
    cursor: CursorOption = None,
    agent: AgentOption = None,
) -> Output:
    """List what was shared: who did it, when, and what became of it.

    Examples: signet spaces shares · signet spaces shares --state proposed
    """
    page = signet.shares(space=space, state=state, limit=limit, cursor=cursor, agent_id=agent)
    yield page
    yield from output.listed(map(_share, page["shares"]), "Nothing was shared")
    flags = output.flags({"space": space, "state": state, "agent": agent})
    more = f"signet spaces shares -l {limit}{flags}"
    output.further(len(page["shares"]), page["next"], more)


@command(app, does="decide about proposals")
def approve(signet: Signet, memory_id: IdArgument, agent: AgentOption = None) -> Output:
    """Let a proposed memory enter its space.

    Examples: signet spaces approve 019ac0de-1f2a-7b3c · signet spaces approve ID --json
    """
    yield _decided(signet, memory_id, agent, approve=True)
    output.say("Approved")


@command(app, does="decide about proposals")
def refuse(signet: Signet, memory_id: IdArgument, agent: AgentOption = None) -> Output:
    """Refuse a proposed memory; it stays its author's.

    Examples: signet spaces refuse 019ac0de-1f2a-7b3c · signet spaces refuse ID --json
    """
    yield _decided(signet, memory_id, agent, approve=False)
    output.say("Refused")


@command(app, does="withdraw memories from spaces")
def withdraw(signet: Signet, memory_id: IdArgument, agent: AgentOption = None) -> Output:
    """Return a memory to its author, with its earlier text and fields, or cancel a proposal.

    Examples: signet spaces withdraw 019ac0de-1f2a-7b3c · signet spaces withdraw ID --json
    """
    rows = signet.shares(limit=MOST, agent_id=agent)["shares"]
    found = _one([one for one in rows if one["state"] in ("proposed", "shared")], memory_id)
    yield signet.withdraw(found["memoryId"], agent_id=agent)
    output.say(f"Withdrawn from {output.plain(found['space'])}")


def _decided(signet: Signet, memory_id: str, agent: str | None, *, approve: bool) -> Share:
    proposed = signet.shares(state="proposed", limit=MOST, agent_id=agent)["shares"]
    found = _one(proposed, memory_id)
    return signet.decide_share(found["id"], approve)


def _one(rows: list[Share], memory_id: str) -> Share:
    named = [{**one, "share": one["id"], "id": one["memoryId"]} for one in rows]
    found = identify.one(named, memory_id.strip(), noun="shared memory", see="spaces shares")
    return next(one for one in rows if one["id"] == found["share"])


def _line(one: Space) -> str:
    facts = [output.count(one["memories"], "memory"), f"you may {', '.join(one['verbs'])}"]
    facts += [f"{one['waiting']} waiting"] if one["waiting"] else []
    facts += ["reviewed"] if one["review"] else []
    said = f" · {output.plain(one['description'])}" if one["description"] else ""
    ink = output.ink(sys.stdout)
    return f"{ink.name(output.plain(one['name']))}{said}\n{ink.dim('  ' + ' · '.join(facts))}"


def _share(one: Share) -> str:
    ink = output.ink(sys.stdout)
    text = output.plain(one["content"]) if one["content"] else ink.dim("(no text to show)")
    facts = [one["state"], f"{output.plain(one['author'])} in {output.plain(one['space'])}"]
    facts += [f"by {output.plain(one['sharedBy'])} {output.local(one['sharedAt'])}"]
    facts += [f"decided by {output.plain(one['decidedBy'])}"] if one["decidedBy"] else []
    facts += [f"withdrawn by {output.plain(one['endedBy'])}"] if one["endedBy"] else []
    facts += [output.plain(one["note"])] if one["note"] else []
    return f"{text}\n{ink.dim('  ' + ' · '.join([*facts, one['memoryId'][:ID_CHARS]]))}"
