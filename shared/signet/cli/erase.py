"""`signet memory erase`: delete memories permanently, including their bytes on disk."""

from collections.abc import Iterable

import typer

from signet.cli import identify, output
from signet.cli.command import Output, command
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption, IdsArgument, ReasonOption, YesOption
from signet.client import Invalid, Signet

#: Prefix of documents in the list of remaining copies.
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

    Memories derived only from them are deleted too. The database file is rewritten within seconds. Documents and
    files that may still contain the text (backups, git history) are listed, not deleted.

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
    output.hint("The database file is being rewritten to remove the text.")
    name_copies(held_by)


def name_copies(paths: Iterable[str]) -> None:
    """List documents and files that may still contain the text, and how to remove the files."""
    listed = list(paths)
    if listed:
        output.hint("These may still contain the text. Delete those you do not need:")
        for path in listed:
            is_document = path.startswith(DOCUMENT)
            output.hint(f"  {_named(path)}" if is_document else f"  rm -r '{path}'")
    output.hint("Signet does not know of backups and exports elsewhere.")


def _named(document: str) -> str:
    """Return a document's name, and the command that deletes it."""
    id_ = document.removeprefix(DOCUMENT).partition(" ")[0]
    return f"{output.plain(document)} (signet document delete {id_})"
