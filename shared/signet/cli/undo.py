"""`signet undo` and `signet redo`: take back the last changes of memories one by one, and make them again."""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated, Any, NamedTuple

import typer

from signet.cli import output
from signet.cli.command import Output, StatusAnswer, command, confirmed, is_agent_shell
from signet.cli.entry import ID_CHARS
from signet.cli.forget import BATCH, show_along
from signet.cli.options import AgentOption, YesOption
from signet.client import Signet
from signet.client.answers import ForgetPreview, ListedChange, Modified
from signet.errors import Conflict, NotFound

#: What undoing an event does, and would do; other events are changes of no person.
DOES = {
    "deleted": ("Recovered", "Recover"),
    "rejected": ("Recovered", "Recover"),
    "created": ("Forgot", "Forget"),
    "recovered": ("Forgot", "Forget"),
    "updated": ("Restored", "Restore"),
}
#: Changes per page of the history, and memories that are listed.
PAGE, SHOWN = 500, 10
#: The reasons in the history by which the two commands recognise their own changes.
UNDONE, REDONE = "undone on the command line", "done again on the command line"


class _Wishes(NamedTuple):
    dry_run: Annotated[bool, "Show what would happen; change nothing."] = False
    yes: YesOption = False
    agent: AgentOption = None


@command(forgets=True)
def undo(signet: Signet, wishes: _Wishes, as_json: bool = False) -> Output:
    """Undo the last save, edit, forget or recovery, all of a bulk one; run again to undo the one before.

    Examples: signet undo · signet undo --dry-run
    """
    found = _to_undo(signet, wishes.agent)
    if not found:
        raise NotFound("Nothing to undo: no memory was saved, edited, forgotten or recovered")
    yield from _Reverse(signet, found, UNDONE, wishes.agent).run(wishes, as_json=as_json)


@command(forgets=True)
def redo(signet: Signet, wishes: _Wishes, as_json: bool = False) -> Output:
    """Make again what `signet undo` took back last, unless something was changed since.

    Examples: signet redo · signet redo --dry-run
    """
    found = _to_redo(signet, wishes.agent)
    if not found:
        raise NotFound("Nothing to redo: the last change was no undo")
    yield from _Reverse(signet, found, REDONE, wishes.agent).run(wishes, as_json=as_json)


class _Reverse:
    """The reversal of the changes of one command."""

    def __init__(
        self, signet: Signet, changes: Sequence[ListedChange], reason: str, agent: str | None
    ) -> None:
        self.signet, self.changes, self.reason, self.agent = signet, changes, reason, agent
        self.event = changes[0]["event"]
        self.ids = list(dict.fromkeys(one["memoryId"] for one in changes))
        is_new = changes[0]["reason"] == REDONE and self.event == "recovered"
        self.is_of_save = is_new or self.event == "created"

    def run(self, wishes: _Wishes, *, as_json: bool) -> Output:
        """Report the reversal; with a terminal it is shown before, and asked about."""
        dry_run, asks = wishes.dry_run, not (wishes.yes or as_json) and output.can_ask()
        done, would = DOES[self.event]
        when = f"({self.event} {output.ago(self.changes[0]['createdAt'])})"
        count = output.count(len(self.ids), "memory")
        if asks and not dry_run:
            self._show(f"{would}: {count} {when}", would)
            if not confirmed(f"{would} {count}?"):
                raise typer.Exit(1)
        results = [] if dry_run else list(self._results())
        refused = {
            one["id"]: one.get("error") or one["status"] for one in results if not one["success"]
        }
        ids = [one for one in self.ids if one not in refused]
        answer = {"undone": not dry_run, "event": self.event, "ids": ids}
        yield StatusAnswer(answer, status=1 if refused else 0)
        if dry_run:
            self._show(f"Would {would.lower()}: {count} {when}", would)
        elif asks:
            output.say(f"{done}: {output.count(len(ids), 'memory')}")
        else:
            self._show(f"{done}: {output.count(len(ids), 'memory')} {when}")
        if along := sum(one.get("alongCount", 0) for one in results):
            derived = output.count(along, "memory")
            output.say(f"{done} too: {derived} derived from {_them(ids)}")
        for id_, why in refused.items():
            output.tell(f"{output.ink(sys.stderr).bad('error:')} {str(id_)[:ID_CHARS]}: {why}")

    def _show(self, head: str, would: str = "") -> None:
        output.say(head)
        for one in self.changes[:SHOWN]:
            text = one["oldContent"] or one["newContent"] or one["content"] or ""
            output.say(f"  {one['memoryId'][:ID_CHARS]}  {output.short(text, output.width() - 22)}")
        if len(self.ids) > SHOWN:
            output.say(f"  … and {len(self.ids) - SHOWN} more")
        for some in _batches(self.ids if would == "Forget" else ()):
            found = self._preview(some)
            if going := found.get("alongCount"):
                output.say(f"{output.count(going, 'memory')} derived from {_them(some)}:")
            show_along(found, full=False)

    def _preview(self, ids: Sequence[str]) -> ForgetPreview:
        return self.signet.preview_forget(ids=list(ids), undo=self.is_of_save, agent_id=self.agent)

    def _results(self) -> Iterator[Modified]:
        """Reverse the changes; return the result for each memory."""
        if self.event == "updated":
            yield from (_restore(self.signet, one, self.reason, self.agent) for one in self.changes)
            return
        for some in _batches(self.ids):
            if DOES[self.event][1] == "Recover":
                done = self.signet.recover_many(some, reason=self.reason, agent_id=self.agent)
                yield from done["results"]
                continue
            gone = self.signet.forget_many(
                ids=some,
                reason=self.reason,
                undo=self.is_of_save,
                confirm_token=self._preview(some)["confirmToken"],
                agent_id=self.agent,
            )
            yield from gone["results"]


def _them(ids: Sequence[str]) -> str:
    return "it" if len(ids) == 1 else "them"


def _batches(ids: Sequence[str]) -> Iterator[list[str]]:
    for first in range(0, len(ids), BATCH):
        yield list(ids[first : first + BATCH])


def _to_undo(signet: Signet, agent: str | None) -> list[ListedChange]:
    """Return the newest changes that stand: each undo cancels the changes before it."""
    undone = 0
    for changes in _commands(signet, agent):
        if changes[0]["reason"] == UNDONE:
            undone += 1
        elif undone:
            undone -= 1
        else:
            return changes
    return []


def _to_redo(signet: Signet, agent: str | None) -> list[ListedChange]:
    """Return the changes of the newest undo that was not done again."""
    redone = 0
    for changes in _commands(signet, agent):
        if changes[0]["reason"] == REDONE:
            redone += 1
        elif changes[0]["reason"] != UNDONE:
            return []
        elif redone:
            redone -= 1
        else:
            return changes
    return []


def _commands(signet: Signet, agent: str | None) -> Iterator[list[ListedChange]]:
    """Yield the changes of each command or request by a person (in an agent's shell, by agents), newest first."""
    grouped = groupby(_changes(signet, agent), lambda one: (one["requestId"], one["event"]))
    return (list(changes) for _, changes in grouped)


def _changes(signet: Signet, agent: str | None) -> Iterator[ListedChange]:
    """Yield the changes that can be reversed; erased memories have no texts, derived ones follow their source.

    With a key, only the changes made with keys of its name.
    """
    claims = signet.whoami()["claims"] or {}
    is_limited = bool(claims) and not claims.get("own")
    actor = claims["role"] if is_limited else "agent" if is_agent_shell() else "operator"
    cursor, more = None, True
    while more:
        page = signet.all_history(limit=PAGE, cursor=cursor, agent_id=agent)
        for one in page["history"]:
            has_text = one["oldContent"] is not None or one["newContent"] is not None
            follows = {"goneWith", "cameBackWith"} & _metadata(one).keys()
            is_own = not is_limited or one["changedBy"] == claims["sub"]
            is_reversible = has_text and not follows and one["event"] in DOES
            if is_reversible and is_own and one["actorType"] == actor:
                yield one
        cursor = page["next"]
        more = cursor is not None


def _metadata(change: ListedChange) -> dict[str, Any]:
    known = change["metadata"]
    return json.loads(known) if isinstance(known, str) else dict(known or {})


def _restore(signet: Signet, change: ListedChange, reason: str, agent: str | None) -> Modified:
    """Give a memory the fields from before an edit; raises Conflict if they were not recorded."""
    metadata = _metadata(change)
    before: dict[str, Any] = dict(metadata.get("before") or {})
    if missing := set(metadata.get("changedFields", ())) - {"content", *before}:
        raise Conflict(
            f"Not undone: the values before are not recorded ({', '.join(sorted(missing))})"
        )
    if change["oldContent"] != change["newContent"]:
        before["content"] = change["oldContent"]
    return signet.modify(change["memoryId"], reason=reason, agent_id=agent, **before)
