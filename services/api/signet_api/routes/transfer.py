"""Export everything in pages, and import records."""

import asyncio
from dataclasses import replace
from functools import partial

from pydantic import ValidationError

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.memory.models import Rules
from signet.domain.transfer import export, take
from signet.domain.transfer.records import TEXT, Fate, ImportOutcome, Record, Tally
from signet.domain.transfer.take import How
from signet.errors import Invalid
from signet.wire import transfer as wire
from signet.wire.access import ADMIN
from signet.wire.origin import Origin
from signet.wire.requests.memory import ImportBody, TextBody
from signet.wire.requests.model import OnlyTrue, Text
from signet_api.deps import Agent, Ask, Asker, Shared, State, filed
from signet_api.routes.remember import new_memory
from signet_api.serving import serves

#: Fields of a save that name other records; imports have their own kinds for these.
_NOT_IN_TEXTS: dict[str, object] = {"supersedes": [], "entities": [], "aspects": []}


@serves(wire.EXPORT)
async def get_export(
    agent: Agent,
    state: Shared,
    since: Text = None,
    cursor: Text = None,
    vectors: OnlyTrue = False,
    everything: OnlyTrue = False,
) -> wire.ExportPage:
    """Return a page of records, and under `next` the `cursor` of the following page.

    Contains what the agent may read; `everything` adds private memories of all agents. `since` omits records
    unchanged since then, `vectors` adds vectors.
    """
    try:
        changed = clock.given(since) if since else None
    except ValueError as error:
        raise Invalid("since is not an ISO time") from error

    if everything:
        caller.current().check(ADMIN)

    seal_key = await asyncio.to_thread(export.seal_key)

    def read(tx: ReadTx) -> export.RecordPage:
        reader = None if everything else agents.reader(tx, agent, any_scope=True)
        scope = export.Scope(reader=reader, since=changed, vectors=vectors, seal_key=seal_key)
        return export.page(tx, scope, cursor, now=clock.now())

    page = await state.db.aread(read)
    return {"records": page.records, "next": page.cursor}


@serves(wire.IMPORT)
async def post_import(body: ImportBody, ask: Ask) -> wire.Imported:
    """Import up to 1,000 records, each completely or not at all, and return the results; repeating it adds nothing.

    `vectors`: the file contains vectors, so none are created. With a name under `preview` nothing is written; all
    requests of a dry run share the name, and its last one sets `last`.
    """
    state = ask.state
    how = How(
        actor=replace(ask.actor(), origin=Origin.IMPORTED, may_claim=Origin.IMPORTED),
        rules=Rules.of(state.settings),
        embed=not body.vectors,
        seal_key=await asyncio.to_thread(export.seal_key),
    )
    known, refused = await _parsed(body.records, ask)
    outcomes = dict(refused)
    records = [record for _, record in known]
    ready, masked = await asyncio.to_thread(take.prepared, records, how)
    taken = await _taken(state, ready, body, how)
    outcomes.update(zip((index for index, _ in known), taken, strict=True))
    tally = Tally()
    for index, record in enumerate(body.records):
        tally.add(str(record.get("record")), outcomes[index].fate)
    imported: wire.Imported = {
        "new": tally.of(Fate.NEW),
        "known": tally.of(Fate.KNOWN),
        "forgotten": tally.of(Fate.FORGOTTEN),
        "refused": tally.of(Fate.REFUSED),
        "kinds": tally.by_kind(),
        "reasons": [
            {"index": index, "reason": outcomes[index].reason}
            for index in sorted(outcomes)
            if outcomes[index].fate is Fate.REFUSED
        ],
    }
    if masked:
        imported["masked"] = list(masked)
    return imported


async def _taken(
    state: State, records: list[Record | take.ImportText], body: ImportBody, how: How
) -> list[ImportOutcome]:
    """Import records in short transactions, so that others can write between them."""
    if body.preview is None:
        outcomes: list[ImportOutcome] = []
        for some in take.slices(records):
            outcomes += await state.db.awrite(take.take, some, how=how, now=clock.now())
        return outcomes
    folder = state.workspace.daemon_dir
    look = partial(take.preview, state.db.path, folder, body.preview, records)
    found = await asyncio.to_thread(look, how=how, now=clock.now())
    if body.last:
        await asyncio.to_thread(take.end_preview, folder, body.preview)
    return found


async def _parsed(
    records: list[dict[str, object]], ask: Asker
) -> tuple[list[tuple[int, Record | take.ImportText]], dict[int, ImportOutcome]]:
    """Return the valid records with their positions, and the errors of others."""
    known: list[tuple[int, Record | take.ImportText]] = []
    refused: dict[int, ImportOutcome] = {}
    for index, record in enumerate(records):
        if record.get("record") != TEXT:
            known.append((index, record))
            continue
        try:
            body = TextBody.model_validate(record)
        except ValidationError as error:
            first = error.errors()[0]
            reason = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
            refused[index] = ImportOutcome(fate=Fate.REFUSED, reason=reason)
            continue
        new = new_memory(
            (await filed(body, ask.state)).model_copy(update=_NOT_IN_TEXTS),
            await ask.agent(body),
        )
        known.append(
            (index, take.ImportText(new=new, path=body.source_path, section=body.source_section))
        )
    return known, refused
