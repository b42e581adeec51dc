"""`signet memory erase`: removes memories for good, with the bytes of them."""

from collections.abc import Iterable

import typer

from signet.cli import identify, output
from signet.cli.command import Output, command
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption, IdsArgument, ReasonOption, YesOption
from signet.client import Invalid, Signet

#: How the name of a document begins among what still holds an erased text.
DOCUMENT = "document:"


@command(forgets=True)
def erase(
    signet: Signet,
    memory_ids: IdsArgument,
    reason: ReasonOption = "erased on the command line",
    yes: YesOption = False,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Delete memories permanently and remove their text from disk. Cannot be undone.

    What was read from them alone goes too. The database file is rewritten within seconds; documents and files that may
    still contain the text (backups, git history) are listed, not deleted.

    Examples: signet memory erase 019ac0de-1f2a-7b3c · signet memory erase ID --yes
    """
    ids = [identify.whole(signet, one, agent=agent) for one in memory_ids]
    if not yes:
        if as_json or not output.can_ask():
            raise Invalid("Not confirmed: stdin is not a terminal. Pass --yes")
        if not typer.confirm(f"Erase {output.count(len(ids), 'memory')} permanently?", err=True):
            output.say("Nothing erased")
            raise typer.Exit(1)
    done = [signet.erase(one, reason=reason, agent_id=agent) for one in ids]
    held_by = list(dict.fromkeys(path for one in done for path in one.get("heldBy", ())))
    yield {"erased": [one["id"] for one in done], "heldBy": held_by}
    for memory_id in ids:
        output.say(f"Erased: {memory_id[:ID_CHARS]}")
    output.hint("The database file is rewritten now, so that none of the text stays in it.")
    name_copies(held_by)


def name_copies(paths: Iterable[str]) -> None:
    """Say which documents and files may still have the text, and how to remove the latter."""
    listed = list(paths)
    if listed:
        output.hint("These may still contain it. Delete what you do not need:")
        for path in listed:
            is_document = path.startswith(DOCUMENT)
            output.hint(f"  {_named(path)}" if is_document else f"  rm -r '{path}'")
    output.hint("Backups and exports elsewhere are not known to Signet.")


def _named(document: str) -> str:
    """Return the name of a document, and the command that deletes it."""
    id_ = document.removeprefix(DOCUMENT).partition(" ")[0]
    return f"{output.plain(document)} (signet document delete {id_})"
