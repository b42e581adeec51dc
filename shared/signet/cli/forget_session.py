"""`signet sessions forget`: preview, confirm, and delete a session."""

from typing import Annotated

import typer

from signet.cli import output, show_session
from signet.cli.command import Output, confirmed, opt
from signet.cli.entry import ID_CHARS
from signet.cli.erase import name_copies
from signet.cli.forget import show_along
from signet.cli.options import AgentOption, SessionArgument, YesOption
from signet.client import Signet
from signet.client.answers import SessionGoing


def forget(
    signet: Signet,
    key: SessionArgument,
    reason: Annotated[
        str, opt("Reason, kept in the history of the memories.", "-r")
    ] = "session forgotten",
    yes: YesOption = False,
    dry_run: Annotated[bool, "Show what would be deleted; change nothing."] = False,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Delete the stored data of a session, and forget memories that come only from it.

    Transcript, search index, summaries, notes and checkpoints cannot be recovered; memories can, for 30 days. Nothing
    more of the session is stored; if it still runs, it is bypassed.

    Examples: signet sessions forget abc123 --dry-run · signet sessions forget abc123 --yes
    """
    whole = show_session.whole(signet, key, agent=agent)
    found = signet.preview_forget_session(whole, agent_id=agent)
    if dry_run:
        yield found
    if not as_json and (dry_run or not yes):
        _show(found)
    if dry_run:
        return
    if not yes and not confirmed("Delete this session? It cannot be recovered.", as_json=as_json):
        output.say("Nothing forgotten")
        raise typer.Exit(1)
    done = signet.forget_session(whole, reason=reason, agent_id=agent)
    yield done
    output.say(f"Session forgotten: {output.plain(whole)}")
    if count := done.get("alongCount"):
        first = done.get("along", [])[0]["id"][:ID_CHARS]
        output.say(f"{output.count(count, 'memory')} from it forgotten")
        output.hint(f"Recover one within 30 days with: signet memory recover {first}")
    for name in done["notesKept"]:
        output.hint(f"Kept, because it was edited by hand: {output.plain(name)}")
    name_copies(done.get("heldBy", ()))


def _show(found: SessionGoing) -> None:
    output.say(f"Session {output.plain(found['sessionKey'])}: this will be deleted permanently:")
    counts = (
        (found["transcriptChars"], "character of transcript", "characters of transcript"),
        (found["passages"], "searchable passage", "searchable passages"),
        (found["summaries"], "summary", "summaries"),
        (found["checkpoints"], "checkpoint", "checkpoints"),
        (found["given"], "injection record", "injection records"),
    )
    for count, one, many in counts:
        if count:
            output.say(f"  {count:,} {one if count == 1 else many}")
    for name in found["notes"]:
        output.say(f"  {output.plain(name)}")
    if going := found.get("alongCount"):
        output.say(
            f"{output.count(going, 'memory')} from it alone will be forgotten; each can be recovered:"
        )
    show_along(found, full=True)
