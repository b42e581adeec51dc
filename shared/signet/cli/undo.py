"""`signet undo`: take back the last change of memories, all of a bulk change."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

from signet.cli import output
from signet.cli.command import Output, command, is_agent_shell
from signet.cli.entry import ID_CHARS
from signet.cli.forget import BATCH
from signet.cli.options import AgentOption
from signet.client import Signet
from signet.client.answers import ListedChange
from signet.errors import Conflict, NotFound

#: What undoing an event does; other events are changes of no person.
DOES = {"deleted": "Recovered", "created": "Forgot", "recovered": "Forgot", "updated": "Restored"}
#: Changes per page of the history, and memories that are listed.
PAGE, SHOWN = 500, 10
_REASON = "undone on the command line"


@command(forgets=True)
def undo(
    signet: Signet,
    dry_run: Annotated[bool, "Show what would be undone; change nothing."] = False,
    agent: AgentOption = None,
) -> Output:
    """Undo the last save, edit, forget or recovery, all of a bulk one. Run again to redo it.

    Examples: signet undo · signet undo --dry-run
    """
    changes = _last(signet, agent)
    event = changes[0]["event"]
    if not dry_run:
        _undone(signet, event, changes, agent)
    yield {"undone": not dry_run, "event": event, "ids": [one["memoryId"] for one in changes]}
    said = (
        DOES[event]
        if not dry_run
        else f"Would be {DOES[event].lower().replace('forgot', 'forgotten')}"
    )
    when = output.ago(changes[0]["createdAt"])
    output.say(f"{said}: {output.count(len(changes), 'memory')} ({event} {when})")
    for one in changes[:SHOWN]:
        text = one["oldContent"] or one["newContent"] or one["content"] or ""
        output.say(f"  {one['memoryId'][:ID_CHARS]}  {output.short(text, output.width() - 22)}")
    if len(changes) > SHOWN:
        output.say(f"  … and {len(changes) - SHOWN} more")


def _last(signet: Signet, agent: str | None) -> list[ListedChange]:
    """Return the changes of the last command or request by a person (in an agent's shell, by agents), newest first."""
    actor = "agent" if is_agent_shell() else "operator"
    found: list[ListedChange] = []
    cursor = None
    while True:
        page = signet.all_history(limit=PAGE, cursor=cursor, agent_id=agent)
        for one in page["history"]:
            if one["actorType"] != actor or one["event"] not in DOES:
                continue
            if found and (one["requestId"], one["event"]) != (
                found[0]["requestId"],
                found[0]["event"],
            ):
                return found
            found.append(one)
        cursor = page["next"]
        if cursor is None or not page["history"]:
            break
    if not found:
        raise NotFound("Nothing to undo: no memory was saved, edited, forgotten or recovered")
    return found


def _undone(signet: Signet, event: str, changes: Sequence[ListedChange], agent: str | None) -> None:
    ids = list(dict.fromkeys(one["memoryId"] for one in changes))
    if event == "updated":
        for one in changes:
            _restore(signet, one, agent)
        return
    for first in range(0, len(ids), BATCH):
        some = ids[first : first + BATCH]
        if event == "deleted":
            signet.recover_many(some, reason=_REASON, agent_id=agent)
        else:
            token = signet.preview_forget(ids=some, agent_id=agent)["confirmToken"]
            signet.forget_many(ids=some, reason=_REASON, confirm_token=token, agent_id=agent)


def _restore(signet: Signet, change: ListedChange, agent: str | None) -> None:
    """Give a memory the fields from before an edit; raises Conflict if they were not recorded."""
    known = change["metadata"]
    metadata: dict[str, Any] = json.loads(known) if isinstance(known, str) else dict(known or {})
    before: dict[str, Any] = dict(metadata.get("before") or {})
    if missing := set(metadata.get("changedFields", ())) - {"content", *before}:
        raise Conflict(
            f"Not undone: the values before are not recorded ({', '.join(sorted(missing))})"
        )
    if change["oldContent"] != change["newContent"]:
        before["content"] = change["oldContent"]
    signet.modify(change["memoryId"], reason=_REASON, agent_id=agent, **before)
