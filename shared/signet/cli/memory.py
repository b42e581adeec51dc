"""`signet memory …`: show, change and recover memories (forgetting: `forget.py`)."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from signet import ids
from signet.cli import edit, entry, forget, identify, output
from signet.cli.command import Output, StatusAnswer, arg, command, opt, typed
from signet.cli.entry import ListEntry
from signet.cli.options import (
    AgentOption,
    CursorOption,
    FullOption,
    IdArgument,
    IdsArgument,
    LimitOption,
    MemoryFilters,
    NearestOption,
    OffsetOption,
    OnlyProjectOption,
    OnlyTypeOption,
    PinnedOption,
    ReasonOption,
    SinceOption,
    UntilOption,
    agents,
    check_type,
)
from signet.cli.output import Ink
from signet.client import Signet
from signet.client.answers import (
    FoundMemory,
    ListedChange,
    MemoryChange,
    MemorySummary,
    WholeMemory,
)
from signet.text import words

app = typer.Typer(help="List, show, change and forget memories.", no_args_is_help=True)
app.command("edit")(typed(edit.edit))
app.command("forget")(typed(forget.forget))
app.command("erase")(typed(forget.erase))

_LABEL = 12
#: Changes of all memories per page.
MOST_CHANGES = 500
State = Literal["forgotten", "archived"] | None
#: Newest archived memories searched for an ID prefix.
MOST_ARCHIVED = 1_000


@command(app, "list", pages=True)
def list_memories(
    signet: Signet,
    filters: MemoryFilters,
    limit: LimitOption = 20,
    offset: OffsetOption = 0,
    query: Annotated[
        str | None, opt("Only memories that contain these words.", "--query", "--search")
    ] = None,
    project: OnlyProjectOption = None,
    pinned: PinnedOption = False,
    forgotten: Annotated[bool, "Forgotten memories that can be recovered, last first."] = False,
    archived: Annotated[bool, "Only archived memories of removed agents."] = False,
    full: FullOption = False,
    agent: AgentOption = None,
) -> Output:
    """List memories, newest first.

    Examples: signet list · signet list --type decision --limit 50 · signet list --forgotten
    """
    if forgotten and archived:
        raise typer.BadParameter("choose one of --forgotten and --archived")
    state: State = "forgotten" if forgotten else "archived" if archived else None
    wanted: dict[str, Any] = {
        "q": query,
        "project": project,
        "pinned": pinned or None,
        "state": state,
        **filters._asdict(),
    }
    page = signet.memories(limit=limit, offset=offset, total=True, agent_id=agent, **wanted)
    if not page["memories"]:
        check_type(signet, filters.type, agent=agent)
    yield page
    rows, ink = page["memories"], output.ink(sys.stdout)
    if not rows:
        output.say(f"No {state} memories" if state else "No memories")
    for row in rows:
        yield from entry.lines(_summary(row), ink, full=full)
    asked = _flags(wanted) + output.flags({"agent": agent})
    more = f"signet list -l {limit}{asked}"
    if not output.rest(offset, len(rows), page["total"], more) and state and rows:
        again = (
            "Recover with: signet memory recover"
            if forgotten
            else "Restore with: signet memory adopt"
        )
        output.hint(f"{again} {rows[0]['id'][: entry.ID_CHARS]}")


@command(app)
def show(signet: Signet, memory_id: IdArgument, agent: AgentOption = None) -> Output:
    """Show one memory with all its fields.

    Examples: signet memory show 019ac0de-1f2a-7b3c · signet memory show ID --json
    """
    found = signet.get(identify.whole(signet, memory_id, agent=agent), agent_id=agent)
    yield found
    yield from _card(found, output.ink(sys.stdout))


@command(app)
def history(
    signet: Signet,
    memory_id: Annotated[
        str | None, arg("Memory ID, or at least its first 8 characters.", "ID")
    ] = None,
    limit: Annotated[int | None, opt("Maximum number of results.", "-l", min=1, max=1000)] = None,
    cursor: CursorOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    agent: AgentOption = None,
) -> Output:
    """Show all changes of a memory, oldest first; without ID the latest changes of all memories.

    Works for forgotten ones.

    Examples: signet memory history 019ac0de-1f2a-7b3c · signet memory history --since yesterday
    """
    ink = output.ink(sys.stdout)
    if memory_id is None:
        limit = min(limit or 20, MOST_CHANGES)
        page = signet.all_history(
            limit=limit, cursor=cursor, since=since, until=until, agent_id=agent
        )
        yield page
        if not page["history"]:
            output.say("No changes")
        for one in page["history"]:
            yield from _event(one, ink, of=one)
        flags = output.flags({"since": since, "until": until, "agent": agent})
        more = f"signet memory history -l {limit}{flags}"
        output.further(len(page["history"]), page["next"], more)
        return
    if cursor or since or until:
        raise typer.BadParameter(
            "--cursor, --since and --until apply only to the history of all memories"
        )
    full_id = identify.whole(signet, memory_id, agent=agent)
    found = signet.history(full_id, limit=limit, agent_id=agent)
    yield {"memoryId": full_id, "count": len(found), "history": found}
    for change in found:
        yield from _event(change, ink)


@command(app)
def recover(
    signet: Signet,
    memory_ids: IdsArgument,
    reason: ReasonOption = "recovered on the command line",
    agent: AgentOption = None,
) -> Output:
    """Recover memories forgotten within the last 30 days.

    Examples: signet memory recover 019ac0de-1f2a-7b3c · signet memory recover ID ID --reason "was right"
    """
    find = "list forgotten memories with `signet forgotten`"
    full_ids = [identify.whole(signet, one, agent=agent, find=find) for one in memory_ids]
    if len(full_ids) > 1:
        many = signet.recover_many(full_ids, reason=reason, agent_id=agent)
        yield StatusAnswer(many, status=0 if many["recovered"] == many["requested"] else 1)
        for one in many["results"]:
            said = (
                "Recovered" if one["status"] == "recovered" else f"Not recovered ({one['status']})"
            )
            output.say(f"{said}: {one['id']}")
        return
    (full_id,) = full_ids
    done = signet.recover(full_id, reason=reason, agent_id=agent)
    yield done
    output.say(f"Recovered: {full_id}")
    if along := done.get("alongCount"):
        output.say(f"{output.count(along, 'memory')} derived from it recovered too")


@command(app)
def adopt(
    signet: Signet,
    memory_id: IdArgument,
    agent: Annotated[
        str | None, opt("Agent that gets it; default: your own.", autocompletion=agents)
    ] = None,
) -> Output:
    """Give a removed agent's memory to another agent.

    It becomes private to that agent and is no longer archived.

    Examples: signet memory adopt 019ac0de-1f2a-7b3c · signet memory adopt ID --agent scout
    """
    archived = signet.memories(state="archived", limit=MOST_ARCHIVED, agent_id=agent)["memories"]
    found = identify.one(
        archived, memory_id, noun="archived memory", see="signet memory list --archived"
    )
    done = signet.adopt(found["id"], agent_id=agent)
    yield done
    output.say(f"Restored: {done['id']}")


@command(app)
def similar(
    signet: Signet,
    memory_id: IdArgument,
    limit: NearestOption = 10,
    type: OnlyTypeOption = None,
    full: FullOption = False,
    agent: AgentOption = None,
) -> Output:
    """List memories with a similar meaning, most similar first.

    Examples: signet memory similar 019ac0de-1f2a-7b3c · signet memory similar ID -l 3 --json
    """
    full_id = identify.whole(signet, memory_id, agent=agent)
    found = signet.similar(full_id, k=limit, type=type, agent_id=agent)
    if not found:
        check_type(signet, type, agent=agent)
    yield {"results": found}
    if not found:
        output.say("No memories found")
    for one in found:
        yield from entry.lines(_near(one), output.ink(sys.stdout), full=full)


def _flags(filters: dict[str, Any]) -> str:
    """Return the options that repeat this query."""
    named = {"query" if name == "q" else name: value for name, value in filters.items()}
    pinned, state = named.pop("pinned", None), named.pop("state", None)
    return output.flags(named) + (" --pinned" if pinned else "") + (f" --{state}" if state else "")


def _summary(row: MemorySummary) -> ListEntry:
    return ListEntry(
        id=row["id"],
        content=row["content"],
        created_at=row["created_at"],
        event_at=row["event_at"],
        pinned=bool(row["pinned"]),
        tags=row["tags"],
        facts=(
            output.plain(row["says"]),
            *([output.path(row["project"])] if row["project"] else []),
            *(["private"] if row["visibility"] == "private" else []),
            *([f"of {output.plain(row['agent_id'])}"] if row["visibility"] == "archived" else []),
            *_forgetting(row),
        ),
    )


def _forgetting(row: MemorySummary) -> Iterator[str]:
    if (known := row.get("forgotten")) is None:
        return
    when = output.local(row["deleted_at"] or "")
    yield f"forgotten {when} by {output.plain(words.by(known['by']))}"
    if reason := words.why(known["reason"]):
        yield output.plain(reason)
    if known["until"]:
        yield f"recoverable until {output.local(known['until'])}"


def _near(found: FoundMemory) -> ListEntry:
    return ListEntry(
        id=found["id"],
        content=found["content"],
        created_at=found["created_at"],
        score=found.get("score"),
        tags=found["tags"],
        facts=(words.kind(output.plain(found["type"])),),
    )


def _card(memory: WholeMemory, ink: Ink) -> Iterator[str]:
    yield from output.paragraphs(memory["content"], 0)
    yield ""
    changed = output.local(memory["updated_at"])
    used = f"{memory['access_count']} times"
    if memory["last_accessed"]:
        used += f", last {output.local(memory['last_accessed'])}"
    rows = {
        "id": memory["id"],
        "type": words.kind(memory["type"]),
        "tags": entry.tags_text(memory["tags"]) if memory["tags"] else None,
        "importance": f"{memory['importance']:g}{' · ★ pinned' if memory['pinned'] else ''}",
        "who": words.by(memory["who"]),
        "origin": _origin(memory),
        "agent": memory["agent_id"] + _readers(memory["visibility"]),
        "project": memory["project"],
        "scope": memory["scope"],
        "source": memory["says"],
        "file": memory["source_path"],
        "source ID": memory["source_id"],
        "happened": output.local(memory["event_at"]) if memory["event_at"] else None,
        "saved": output.local(memory["created_at"]),
        "changed": f"{changed} by {words.by(memory['updated_by'])}"
        if memory["version"] > 1
        else None,
        "version": str(memory["version"]),
        "used": used if memory["access_count"] else None,
        "vector": memory["embedding_model"],
    }
    for name, value in rows.items():
        if value:
            yield f"  {ink.dim(f'{name:<{_LABEL}}')}{output.plain(value)}"


def _readers(visibility: str) -> str:
    space = ids.space_of(visibility)
    return f" · in space {space}" if space else " · private" * (visibility == "private")


def _origin(memory: WholeMemory) -> str:
    states = {
        "waiting": " · waits for review",
        "approved": " · approved",
        "replaces": " · to review",
    }
    return f"{memory['origin']}{states.get(memory['review'] or '', '')}"


def _event(change: MemoryChange, ink: Ink, *, of: ListedChange | None = None) -> Iterator[str]:
    by = f"by {output.plain(words.by(change['changedBy']))}"
    why = words.why(change["reason"])
    reason = f" · {output.plain(why)}" if why else ""
    # The pipeline checked it and changed nothing.
    event = change["event"] if change["event"] != "none" else "unchanged"
    color = {
        "deleted": ink.bad,
        "rejected": ink.bad,
        "created": ink.good,
        "recovered": ink.good,
    }.get(event, ink.name)
    when = output.local(change["createdAt"])
    whose = f" · {of['memoryId'][: entry.ID_CHARS]}" if of else ""
    yield f"{ink.dim(when)}  {color(f'{event:<10}')}{by}{reason}{whose}"
    if of and of["content"] and not (change["oldContent"] or change["newContent"]):
        yield from _text("", of["content"])
    old, new = change["oldContent"], change["newContent"]
    if old != new:
        if old:
            yield from _text(ink.bad("- "), old)
        if new:
            yield from _text(ink.good("+ "), new)


def _text(mark: str, text: str) -> Iterator[str]:
    first, *rest = output.paragraphs(text, 20)
    yield " " * 18 + mark + first
    yield from (" " * 20 + line for line in rest)


@command(app)
def rewrite(
    signet: Signet,
    undo: Annotated[
        bool, "Restore the file that the last run replaced; again, to bring the replaced one back."
    ] = False,
    agent: AgentOption = None,
) -> Output:
    """Write MEMORY.md again from the memories.

    Only if a memory has changed since the last run, or if that failed or was undone. With --undo, forgotten statements
    stay out.

    Examples: signet memory rewrite · signet memory rewrite --undo
    """
    if undo:
        restored = signet.undo_memory_file(agent_id=agent)
        yield restored
        output.say(f"MEMORY.md is restored ({restored['chars']} characters)")
        return
    done = signet.rewrite_memory_file(agent_id=agent)
    yield done
    if not done["success"]:
        output.say(f"Not written: {done.get('reason')}")
        raise typer.Exit(1)
    output.say("MEMORY.md will be written again · watch it with: signet jobs watch")
