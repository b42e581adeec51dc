"""`signet memory forget`: preview, confirm, and forget exactly the previewed memories."""

import re
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import typer

from signet.cli import entry, identify, output
from signet.cli.command import Output, StatusAnswer, arg, command, confirmed, opt
from signet.cli.entry import ID_CHARS, ListEntry
from signet.cli.options import (
    AgentOption,
    FullOption,
    IdsArgument,
    MemoryFilters,
    OnlyProjectOption,
    ReasonOption,
    SessionArgument,
    YesOption,
    check_type,
    memory_ids,
)
from signet.cli.output import ProgressLine
from signet.client import NotFound, Signet, SignetError
from signet.client.answers import Candidate, Derived, ForgetPreview, ForgottenMany, SessionGoing

#: Memories shown on a terminal before the question; the others are counted.
SHOWN = 10
#: Why a derived memory remains.
_KEPT = {
    "pinned": "pinned",
    "person": "kept by hand",
    "other_source": "also stated elsewhere",
}
#: Memories per preview or forget request, the daemon's maximum.
BATCH = 200


@command(forgets=True)
def forget(
    signet: Signet,
    filters: MemoryFilters,
    memory_ids: Annotated[
        list[str] | None,
        arg(
            "Memory IDs, or at least their first 8 characters.", "ID...", autocompletion=memory_ids
        ),
    ] = None,
    query: Annotated[str | None, "Memories that contain everything these words name."] = None,
    project: OnlyProjectOption = None,
    limit: Annotated[
        int | None, opt("Forget at most this many; default: all.", "-l", min=1)
    ] = None,
    reason: ReasonOption = "forgotten on the command line",
    force: Annotated[bool, "Delete permanently, pinned memories too; cannot be undone."] = False,
    wrong: Annotated[bool, "Mark them as wrong in the history."] = False,
    yes: YesOption = False,
    full: FullOption = False,
    dry_run: Annotated[bool, "Show what would be forgotten; change nothing."] = False,
    agent: AgentOption = None,
    as_json: bool = False,
) -> Output:
    """Forget memories by ID, words or filters, and everything derived from them. Recoverable for 30 days.

    Examples: signet forget ID --reason outdated · signet forget --tags scratch --dry-run
    """
    find = "find the ID with `signet recall WORDS`, or forget by words with --query WORDS"
    whole = partial(identify.whole, signet, agent=agent, find=find)
    ids = [whole(one) for one in memory_ids or ()] or None
    choice: dict[str, Any] = {
        "ids": ids,
        "query": query,
        "project": project,
        "agent_id": agent,
        **filters._asdict(),
    }
    found = _found(signet, choice, limit)
    if not found["count"]:
        check_type(signet, filters.type, agent=agent)
    if dry_run and as_json:
        yield found
    if limit is None:
        _check(found, ids)
    if not as_json and not yes:
        _preview(found, full=full)
    may_add = bool(found["similar"]) and not (yes or as_json) and output.can_ask()
    if dry_run or not (found["count"] or may_add):
        yield found
        none = "Only similar memories found" if found["similar"] else "No memories found"
        output.say(f"{_counted(found)} would be forgotten" if found["count"] else none)
        if query and not found["count"]:
            _name_sessions(query)
        return
    what = _counted(found) if found["count"] else "similar memories"
    question = f"Delete {what} permanently?" if force else f"Forget {what}?"
    if may_add:
        found = _with_similar(found, question)
    if not found["count"] or not (yes or may_add or confirmed(question, as_json=as_json)):
        output.say("Nothing forgotten")
        raise typer.Exit(1)
    done = _forgotten(signet, found, reason, force=force, wrong=wrong, agent=agent, as_json=as_json)
    refused = [one for one in done["results"] if one["status"] != "deleted"]
    yield StatusAnswer(done, status=1 if refused else 0)
    _report(done, force=force)
    if query:
        _name_sessions(query)


def _name_sessions(words: str) -> None:
    output.hint(f"Sessions may still contain it: signet recall {shlex.quote(words)}")


def _found(signet: Signet, choice: dict[str, Any], limit: int | None) -> ForgetPreview:
    """Return all matching memories, from as many previews as needed."""
    choice["limit"] = min(limit or BATCH, BATCH)
    found = signet.preview_forget(**choice)
    wanted = min(limit or found["total"], found["total"])
    chosen = found["candidates"]
    while len(chosen) < wanted:
        choice |= {"limit": min(BATCH, wanted - len(chosen)), "offset": len(chosen)}
        page = signet.preview_forget(**choice)
        if not page["count"]:
            break
        chosen += page["candidates"]
        found["alongCount"] = found.get("alongCount", 0) + page.get("alongCount", 0)
        found["along"] = [*found.get("along", ()), *page.get("along", ())]
        found["staying"] = [*found.get("staying", ()), *page.get("staying", ())]
        found["heldBy"] = list(dict.fromkeys([*found.get("heldBy", ()), *page.get("heldBy", ())]))
    found["count"] = len(chosen)
    if found["count"] > BATCH:
        from signet.domain.memory import choose

        found["confirmToken"] = choose.confirm_token(one["id"] for one in chosen)
    return found


def _check(found: ForgetPreview, ids: Sequence[str] | None) -> None:
    missing = set(ids or ()) - {one["id"] for one in found["candidates"]}
    if missing:
        why = "Not found, already forgotten, or excluded by the other options"
        raise NotFound(f"{why}: {', '.join(sorted(missing))}")


def _forgotten(
    signet: Signet,
    found: ForgetPreview,
    reason: str,
    *,
    force: bool,
    wrong: bool,
    agent: str | None,
    as_json: bool,
) -> ForgottenMany:
    """Forget the previewed memories by ID, so that later matches are not included."""
    chosen = [one["id"] for one in found["candidates"]]
    done: ForgottenMany | None = None
    with ProgressLine("Forgetting", quiet=as_json, unit="memories") as progress:
        for first in range(0, len(chosen), BATCH):
            some = chosen[first : first + BATCH]
            try:
                token = signet.preview_forget(ids=some, agent_id=agent)["confirmToken"]
                part = signet.forget_many(
                    ids=some,
                    reason=reason,
                    force=force,
                    wrong=wrong,
                    confirm_token=token,
                    agent_id=agent,
                )
            except SignetError:
                if done is not None:
                    output.tell(f"{done['deleted']} of {len(chosen)} memories were forgotten")
                raise
            if done is None:
                done = part
            else:
                done["requested"] += part["requested"]
                done["deleted"] += part["deleted"]
                done["results"] += part["results"]
            progress.count(first + len(some), len(chosen))
    assert done is not None, "something was chosen"
    return {**done, "total": found["total"]}


def _with_similar(found: ForgetPreview, question: str) -> ForgetPreview:
    """Ask which memories to forget: the selected ones, all listed ones, or also some of the similar ones."""
    similar = found["similar"]
    asked = f"{question} [y/N; a: with all similar ones; numbers: also those]"
    answer = typer.prompt(asked, "n", show_default=False, err=True).strip().lower()
    numbers = range(1, len(similar) + 1) if answer == "a" else map(int, re.findall(r"\d+", answer))
    added = {one: similar[one - 1] for one in numbers if 0 < one <= len(similar)}
    is_sure = added or answer in ("y", "yes")
    chosen = [*found["candidates"], *added.values()] if is_sure else []
    total = found["total"] + len(added)
    return {**found, "candidates": chosen, "count": len(chosen), "total": total}


def _preview(found: ForgetPreview, *, full: bool) -> None:
    ink = output.ink(sys.stdout)
    shown = SHOWN if output.is_live(sys.stdout) and not full else found["count"]
    for one in found["candidates"][:shown]:
        for line in entry.lines(_entry(one), ink, full=full):
            output.say(line)
    if found["count"] > shown:
        output.say(f"… and {found['count'] - shown} more; --full shows all")
    if similar := found["similar"]:
        output.say("Similar memories, not selected:")
        for number, one in enumerate(similar, 1):
            text = output.plain(one["content"])
            why = f"{output.plain(one['why'])} · {one['id'][:ID_CHARS]}"
            output.say(f"{number:>3}  {text} ({why})")
    if going := found.get("alongCount"):
        output.say(f"{output.count(going, 'memory')} derived from them will be forgotten too:")
    show_along(found, full=full)


def show_along(found: Derived, *, full: bool) -> None:
    """List derived memories to be forgotten, the first ones unless `full`, and those that remain, with reasons."""
    along, count = found.get("along", []), found.get("alongCount", 0)
    shown = along if full or not output.is_live(sys.stdout) else along[:SHOWN]
    for one in shown:
        output.say(f"  {one['id'][:ID_CHARS]}  {output.plain(one['content'])}")
    if count > len(shown):
        output.say(f"  … and {count - len(shown)} more")
    if staying := found.get("staying"):
        output.say("Also derived from them, but kept:")
        for kept in staying:
            why = _KEPT.get(kept["why"], kept["why"])
            output.say(f"  {kept['id'][:ID_CHARS]}  {output.plain(kept['content'])} ({why})")
    if documents := found.get("heldBy"):
        output.say("These documents contain it and remain; agents do not receive that part:")
        for name in documents:
            output.say(f"  {output.plain(name)}")


def _entry(candidate: Candidate) -> ListEntry:
    return ListEntry(
        id=candidate["id"],
        content=candidate["content"],
        created_at=candidate["created_at"],
        pinned=candidate["pinned"],
        tags=candidate["tags"],
        facts=(
            f"by {output.plain(candidate['who'] or 'unknown')}",
            output.plain(candidate["type"]),
            output.plain(candidate["why"]),
        ),
    )


def _counted(found: ForgetPreview) -> str:
    what = output.count(found["count"], "memory")
    return what if found["count"] == found["total"] else f"{what} of {found['total']}"


def _report(done: ForgottenMany, *, force: bool) -> None:
    what = output.count(done["deleted"], "memory")
    if done["deleted"]:
        output.say(f"{what} deleted permanently" if force else f"{what} forgotten")
        if along := sum(one.get("alongCount", 0) for one in done["results"]):
            source = "it" if done["deleted"] == 1 else "them"
            output.say(f"{output.count(along, 'memory')} derived from {source} forgotten too")
    if copy := done.get("backup"):
        output.hint(f"Backup made before: {copy}")
    if "backupSkipped" in done:
        output.hint(f"No backup was made before: {done['backupSkipped']}")
    if left := done["total"] - done["requested"]:
        output.hint(f"{left} more match: run the command again, or without --limit")
    for one in done["results"]:
        if one["status"] != "deleted":
            _warn(one["id"] or "", one["status"])
    if done["deleted"] and not force:
        first = next(str(one["id"]) for one in done["results"] if one["status"] == "deleted")
        is_one = done["deleted"] == 1
        way = (
            f"memory recover {first[:ID_CHARS]}" if is_one else "undo, or signet memory recover ID"
        )
        output.hint(f"Recover within 30 days with: signet {way}")


def _warn(memory_id: str, status: str) -> None:
    why = (
        "it is pinned; unpin it with signet memory edit --unpin, or pass --force to delete it permanently"
        if status == "pinned_requires_force"
        else status
    )
    output.tell(f"{output.ink(sys.stderr).bad('error:')} {memory_id[:ID_CHARS]} was kept: {why}")


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
    question = f"Erase {output.count(len(ids), 'memory')} permanently?"
    if not yes and not confirmed(question, as_json=as_json, instead="--yes"):
        output.say("Nothing erased")
        raise typer.Exit(1)
    done = [signet.erase(one, reason=reason, agent_id=agent) for one in ids]
    held_by = list(dict.fromkeys(path for one in done for path in one.get("heldBy", ())))
    yield {"erased": [one["id"] for one in done], "heldBy": held_by}
    for memory_id in ids:
        output.say(f"Erased: {memory_id[:ID_CHARS]}")
    output.hint("The database file is being rewritten to remove the text.")
    name_copies(held_by)


def name_copies(paths: Sequence[str]) -> None:
    """List documents and files that may still contain the text, and how to remove the files."""
    lost = "  # loses every earlier version of the workspace's files"
    if paths:
        output.hint("These may still contain the text. Edit or delete those you do not need:")
        for path in paths:
            command = (
                path if path.endswith(".md") else f"rm -r '{path}'{lost * path.endswith('/.git')}"
            )
            output.hint(f"  {_document_named(path) if path.startswith(DOCUMENT) else command}")
    output.hint(
        "Not reached: the session logs of your harnesses, and backups and exports elsewhere."
    )


def _document_named(document: str) -> str:
    """Return a document's name, and the command that deletes it."""
    id_ = document.removeprefix(DOCUMENT).partition(" ")[0]
    return f"{output.plain(document)} (signet document delete {id_})"


def forget_session(
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
    whole = identify.session(signet, key, agent=agent)
    found = signet.preview_forget_session(whole, agent_id=agent)
    if dry_run:
        yield found
    if not as_json and (dry_run or not yes):
        _show_session(found)
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


def _show_session(found: SessionGoing) -> None:
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
