"""Connectors: folders whose files become documents."""

import asyncio

from signet import clock
from signet.db import columns
from signet.domain.connectors import registry
from signet.domain.documents.records import DocumentRules
from signet.errors import Invalid, SignetError
from signet.wire import connectors as wire
from signet.wire.requests.documents import ConnectorBody
from signet.wire.requests.model import OnlyTrue
from signet_api.deps import Ask, Db, Shared, State, Who
from signet_api.serving import serves


@serves(wire.CONNECTORS)
async def get_connectors(db: Db) -> wire.Connectors:
    """Return all connectors, newest first."""
    found = await db.aread(registry.newest)
    return {"connectors": [_row(connector) for connector in found], "count": len(found)}


@serves(wire.ADD_CONNECTOR)
async def post_connector(body: ConnectorBody, ask: Ask) -> wire.AddedConnector:
    """Add a connector, and with `sync` start its first sync; `settings.rootPath` must be a readable folder on this
    machine.
    """
    # The folder may be on a slow or disconnected network disk.
    connector = await asyncio.to_thread(
        registry.draft,
        body.provider,
        display_name=body.display_name,
        settings=body.settings or {},
        agent_id=await ask.agent(body),
        workspace=ask.state.workspace,
        now=clock.now(),
    )
    added = await ask.state.db.awrite(registry.register, connector)
    if body.sync:
        await _start(ask.state, added, is_full=False)
    return {"id": added}


@serves(wire.RESYNC_CONNECTORS)
async def post_resync(state: Shared) -> wire.Resynced:
    """Start an incremental sync of every connector."""
    connectors = await state.db.aread(registry.newest)
    counts: wire.Resynced = {
        "status": "ok",
        "total": len(connectors),
        "started": 0,
        "alreadySyncing": 0,
        "unsupported": 0,
        "failed": 0,
    }
    for connector in connectors:
        try:
            started = await _start(state, connector["id"], is_full=False)
            counts["started" if started.job_id else "alreadySyncing"] += 1
        except registry.Unsupported:
            counts["unsupported"] += 1
        except SignetError:
            counts["failed"] += 1
    return counts


@serves(wire.CONNECTOR)
async def get_connector(connector_id: str, db: Db) -> wire.Connector:
    """Return one connector."""
    return _row(await db.aread(registry.get, connector_id))


@serves(wire.SYNC_CONNECTOR)
async def post_sync(connector_id: str, state: Shared) -> wire.StartedSync:
    """Queue new and changed files, and delete the documents of removed ones."""
    return _started(await _start(state, connector_id, is_full=False))


@serves(wire.FULLY_SYNC_CONNECTOR)
async def post_full_sync(connector_id: str, state: Shared, confirm: str = "") -> wire.StartedSync:
    """Read every file again; requires `confirm=true`."""
    if confirm != "true":
        raise Invalid("Full resync requires ?confirm=true")
    return _started(await _start(state, connector_id, is_full=True))


@serves(wire.CONNECTOR_HEALTH)
async def get_health(connector_id: str, db: Db) -> wire.ConnectorHealth:
    """Return a connector's state, sync progress and document counts."""
    return await db.aread(registry.health, connector_id)


@serves(wire.REMOVE_CONNECTOR)
async def delete_connector(
    connector_id: str, state: Shared, actor: Who, cascade: OnlyTrue = False
) -> wire.RemovedConnector:
    """Remove a connector, with `cascade` also its documents."""
    rules = DocumentRules.of(state.settings)
    if cascade:
        await state.db.awrite(registry.prepare_removal, connector_id, rules=rules, now=clock.now())
        while groups := await state.db.aread(registry.documents, connector_id):
            for group in groups:
                await state.db.awrite(registry.delete_group, group, actor=actor, now=clock.now())
    await state.db.awrite(
        registry.remove,
        connector_id,
        cascade=cascade,
        actor=actor,
        rules=rules,
        now=clock.now(),
    )
    return {"success": True, "deleted": True}


async def _start(state: State, connector_id: str, *, is_full: bool) -> registry.StartedSync:
    return await state.db.awrite(
        registry.start,
        connector_id,
        is_full=is_full,
        rules=DocumentRules.of(state.settings),
        now=clock.now(),
    )


def _started(started: registry.StartedSync) -> wire.StartedSync:
    if started.job_id is None:
        return {"status": "syncing", "message": "Already syncing"}
    return {"status": "syncing", "jobId": started.job_id}


def _row(connector: wire.StoredConnector) -> wire.Connector:
    return {
        **connector,
        "settings": columns.json_value(connector["config_json"]),
        "cursor": columns.json_value(connector["cursor_json"]),
        "progress": columns.json_value(connector["progress_json"]),
    }
