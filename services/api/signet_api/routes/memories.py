"""Read memories, lists of them, and their history."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from fastapi import Query

from signet import clock
from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.browse import browse
from signet.domain.episodes import expand
from signet.domain.memory import filters, history, listing, lookup, review
from signet.domain.memory.listing import Filter, MemoryListing, MemoryState, Order, Sort, Way
from signet.domain.memory.models import Event, Memory, Rules
from signet.domain.memory.review import ReviewVerdict
from signet.errors import Invalid, NotFound
from signet.text import words
from signet.wire import memory as wire
from signet.wire import memory_links
from signet.wire.access import OPERATOR, RECOVER
from signet.wire.requests.browse import HistoryParams, PageParams
from signet.wire.requests.changes import VerdictBody
from signet.wire.requests.model import ClampedInt, Text
from signet_api import audited
from signet_api.deps import Agent, Ask, Mine, Shared, filed
from signet_api.routes.changes import changed_body
from signet_api.serving import serves
from signet_api.shapes import as_wire, filled


@serves(wire.MEMORIES)
async def get_memories(
    agent: Agent, query: Annotated[PageParams, Query()], state: Shared
) -> wire.MemoryPage:
    """Return a page of memories, newest first, with counts of all memories unless `stats` is false.

    `cursor` (`next` of another page) or `before` (an ID) continues there, whatever has been added or deleted
    meanwhile. `sort` is `created`, `updated`, `forgotten`, `event`, `importance` or `used`. `total` adds the number
    of matches, `facets` their counts by `type`, `who`, `project`, `tag`, `source_type` or `state`. Forgotten
    memories require the permission to recover, archived ones an operator.
    """
    query = await filed(query, state)
    asked = filter_of(query)
    if asked.state is MemoryState.FORGOTTEN:
        caller.current().check(RECOVER)
    if asked.state is MemoryState.ARCHIVED:  # some were private
        caller.current().check(OPERATOR)
    for name in query.facets:
        if name not in listing.FACETS:
            raise Invalid(
                f"facets: unknown facet {name!r}; choose from {', '.join(listing.FACETS)}"
            )
    found = await state.db.aread(page, agent, query, asked, Rules.from_settings(state.settings))
    if (noted := audited.SHOWN.get()) is not None:
        noted.update((one["id"], None) for one in found["memories"])
    return found


@serves(wire.MEMORY)
async def get_memory(memory_id: str, mine: Mine) -> wire.WholeMemory:
    """Return one memory; 404 for a forgotten one, and for a session or commit named by recall."""
    if expand.names_one(memory_id):
        raise NotFound(f"not a memory; memory_context shows all of {memory_id}")
    return full(await mine.read(lookup.get, memory_id))


@serves(wire.HISTORY)
async def get_history(
    memory_id: str,
    mine: Mine,
    limit: Annotated[int, ClampedInt(0, history.MAX_LIMIT)] = history.DEFAULT_LIMIT,
) -> wire.History:
    """Return a memory's history, oldest first; texts of a forgotten one only to callers who may recover it."""
    limit = limit or history.DEFAULT_LIMIT  # an invalid number means the default (MEM-22)
    told = caller.current().may(RECOVER)
    changes = await mine.read(history.changes_of, memory_id, limit=limit, forgotten_texts=told)
    _name(changes)
    return {"memoryId": memory_id, "count": len(changes), "history": changes}


@serves(wire.ALL_HISTORY)
async def get_all_history(mine: Mine, query: Annotated[HistoryParams, Query()]) -> wire.HistoryPage:
    """Return the history of all memories, newest first; `cursor` is `next` of the previous page.

    Texts of deleted memories are included only for callers who may recover them. Proposals without effect are
    omitted.
    """
    if query.event is not None and query.event not in list(Event):
        raise Invalid(f"event must be one of {', '.join(Event)}")
    asked = filled(
        history.HistoryFilter,
        query,
        event=Event(query.event) if query.event else None,
        since=filters.instant("since", query.since),
        until=filters.instant("until", query.until, last=True),
    )
    told = caller.current().may(RECOVER)
    found = await mine.read(history.page, asked, scope=query.scope, forgotten_texts=told)
    _name(found["history"])
    return found


def _name(changes: Sequence[wire.MemoryChange]) -> None:
    for one in changes:
        one["by"], one["why"] = words.by(one["changedBy"]), words.why(one["reason"])


def filter_of(query: PageParams) -> Filter:
    """Return the filter of a query; raises Invalid."""
    if query.as_of is not None and query.state is not None:
        raise Invalid("as_of already selects the state of that time: omit state")
    return filled(
        Filter,
        query,
        since=filters.instant("since", query.since),
        until=filters.instant("until", query.until, last=True),
        event_since=filters.instant("event_since", query.event_since),
        event_until=filters.instant("event_until", query.event_until, last=True),
        state=MemoryState(query.state) if query.state else None,
    )


def _order(query: PageParams, asked: Filter) -> Order:
    usual = Sort.FORGOTTEN if asked.state is MemoryState.FORGOTTEN else Sort.CREATED
    sort = Sort(query.sort) if query.sort else usual
    return filled(Order, query, sort=sort, way=Way(query.order))


def page(
    tx: ReadTx, agent_id: str, query: PageParams, asked: Filter, rules: Rules
) -> wire.MemoryPage:
    """Return the answer of `/api/memories`."""
    window = rules.recover_within
    reader = agents.reader(
        tx, agent_id, scope=query.scope, any_scope=bool(query.ids), as_of=query.as_of
    )
    found = listing.page(tx, asked, _order(query, asked), reader=reader)
    answer: wire.MemoryPage = {
        "memories": [_listed(memory, found, window) for memory in found.memories],
        "next": found.next,
    }
    if query.stats:
        answer["stats"] = lookup.stats(tx, reader=reader)
    if query.total:
        answer["total"] = listing.count(tx, asked, reader=reader)
    if query.facets:
        answer["facets"] = _facets(tx, query.facets, asked, reader)
    return answer


def _facets(
    tx: ReadTx, names: Sequence[str], asked: Filter, reader: Reader
) -> dict[str, list[wire.KeyCount]]:
    found = listing.facets(tx, names, asked, reader=reader)
    if not caller.current().may(RECOVER) and "state" in found:
        # The number of forgotten memories requires the permission to see them.
        found["state"] = [one for one in found["state"] if one[0] != MemoryState.FORGOTTEN]
    return {name: _counted(name, counted) for name, counted in found.items()}


def _counted(name: str, counted: Sequence[tuple[str, int]]) -> list[wire.KeyCount]:
    """Return the values of a facet, in words; of the authors that are Signet itself, only the daemon."""
    says = {"type": words.kind, "who": words.by}.get(name, str)
    rows: list[wire.KeyCount] = [
        {"key": value, "count": times, "says": says(value)} for value, times in counted
    ]
    return [
        one
        for one in rows
        if name != "who" or one["says"] != words.SIGNET or one["key"] == "daemon"
    ]


def _listed(memory: Memory, page: MemoryListing, window: timedelta) -> wire.MemorySummary:
    summary: wire.MemorySummary = as_wire(
        wire.MemorySummary,
        memory,
        # Texts of forgotten memories require the permission to recover.
        content=memory.content if not memory.is_deleted or caller.current().may(RECOVER) else "",
        tags=",".join(memory.tags) or None,
        says=words.memory(memory.type, memory.who, memory.source_type, memory.origin),
        has_vector=memory.id in page.embedded,
    )
    if (known := page.forgettings.get(memory.id)) is not None:
        until = review.until(memory.deleted_at, window)
        summary["forgotten"] = {"by": known.changed_by, "reason": known.reason, "until": until}
    return summary


def full(memory: Memory) -> wire.WholeMemory:
    """Return the answer for one memory (MEM-20)."""
    from_session = (memory.source_type or "").startswith("session")
    return as_wire(
        wire.WholeMemory,
        memory,
        tags=",".join(memory.tags) or None,
        says=words.memory(memory.type, memory.who, memory.source_type, memory.origin),
        pinned=int(memory.pinned),
        sessionId=memory.session_id or (memory.source_id if from_session else None),
        is_deleted=int(memory.is_deleted),
    )


@serves(wire.MEMORY_TIMELINE)
async def get_memory_timeline(mine: Mine, scope: Text = None) -> wire.MemoryTimeline:
    """Return counts, types, authors and tags of today, the last seven and the last thirty days."""
    return await mine.read(browse.eras, scope=scope, now=clock.now())


@serves(wire.MEMORY_IDS)
async def get_ids(prefix: str, mine: Mine) -> wire.Ids:
    """Return up to ten IDs with this prefix, including forgotten memories."""
    return {"ids": await mine.read(lookup.ids, prefix)}


@serves(memory_links.LINKS)
async def get_links(memory_id: str, mine: Mine) -> memory_links.Links:
    """Return a memory's sources, derived memories, corrections, and entities."""
    return await mine.read(lookup.links_of_memory, memory_id)


@serves(memory_links.ACCESS)
async def get_access(memory_id: str, mine: Mine) -> memory_links.Access:
    """Return which agents may read a memory, and the deciding rule."""
    return await mine.read(lookup.access, memory_id)


@serves(memory_links.JUDGE)
async def post_review(memory_id: str, body: VerdictBody, ask: Ask) -> wire.Modified:
    """Set a verdict on a memory: `keep`, `fade`, `wrong`, or `none` to remove it; only for people, not tools.

    The pipeline never changes a memory to keep; one that may fade counts half; a wrong one is forgotten as untrue.
    """
    agent_id, judged = await ask.agent(body), ReviewVerdict(body.verdict)
    changed = await ask.change(review.judge, memory_id, judged, agent_id=agent_id)
    return changed_body(changed)
