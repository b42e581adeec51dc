"""Answer questions from memory for the routes of recall and of hooks."""

import time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signet import clock
from signet.config import Settings
from signet.db import ReadTx
from signet.db.visibility import Here
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.graph import assertions
from signet.domain.memory.models import NewMemory, Remembered
from signet.domain.recall import models, recall
from signet.domain.recall.models import Filters, FoundBy, Query, QueryVector, RecallSettings, Result
from signet.domain.sessions.calls import Services
from signet.errors import Invalid
from signet.observe import logs, record
from signet.observe.record import TelemetryKind
from signet.wire.access import RECALL, RECOVER
from signet.wire.memory import Predecessor
from signet.wire.requests.recall import RecallBody
from signet_api import audited
from signet_api.deps import State
from signet_api.shapes import filled

log = logs.get("memory")


def services_of(state: State) -> Services:
    """Return the services of this process that the domain needs to serve a hook."""
    return Services(
        db=state.db,
        settings=state.settings,
        workspace=state.workspace,
        vector=state.vectors.for_text,
        tuning=_tuning(state, state.settings),
        recall=lambda body, agent_id, here: found(body, agent_id, state, here=here),
        record=state.injections.put,
        flush=state.injections.flush,
    )


async def found(
    body: RecallBody,
    agent_id: str,
    state: State,
    settings: Settings | None = None,
    *,
    here: Here | None = None,
) -> Result:
    """Return the search result for a question; the caller counts uses.

    `settings` override the current ones; `here` is the working place of a session that receives the result unasked.
    """
    started = time.monotonic()
    with state.admission.question():
        vector = await state.vectors.for_text(body.query)
        async with state.recalls:
            result = await state.db.aread(_answer, body, agent_id, vector, state, settings, here)
    if body.touch:
        _tell(result, time.monotonic() - started)
    if (noted := audited.SHOWN.get()) is not None:
        saved = (hit for hit in result.hits if hit.source is not FoundBy.EPISODE)
        noted.update((hit.id, None) for hit in saved)
    return result


async def predecessors(saved: Remembered, new: NewMemory, state: State) -> list[Predecessor]:
    """Return memories that a saved one seems to replace, if the caller may read them.

    Compares only texts that announce a change. Never raises, because the memory is already saved.
    """
    may_read = caller.current().may(RECALL) and not saved.superseded
    if not may_read or saved.is_chunked or not assertions.announces(saved.content):
        return []
    asked = {"query": saved.content, "scope": new.scope, "touch": False}
    try:
        result = await found(RecallBody.model_validate(asked), new.agent_id, state)
    except Exception as error:
        log.warning("remember.predecessors_failed", exc_info=error)
        return []
    return [
        {"id": hit.id, "content": hit.content}
        for hit in result.hits
        if hit.newer and hit.newer["id"] == saved.id and hit.source is not FoundBy.EPISODE
    ]


def _tell(result: Result, seconds: float) -> None:
    record.event(
        TelemetryKind.RECALL_PERFORMED,
        type=result.method,
        results=len(result.hits),
        latencyMs=round(seconds * 1000, 1),
        truncated=any(len(hit.content) > result.truncate_chars for hit in result.hits),
    )


def _answer(
    tx: ReadTx,
    body: RecallBody,
    agent_id: str,
    vector: QueryVector,
    state: State,
    wanted: Settings | None,
    here: Here | None,
) -> Result:
    query = filled(
        Query,
        body,
        text=body.query,
        reader=agents.reader(tx, agent_id, scope=body.scope or None, here=here, as_of=body.as_of),
        keyword_text=body.keyword_query,
        filters=filled(Filters, body, pinned=body.pinned or None),
        zone=_zone(body.timezone),
        forgotten=caller.current().may(RECOVER),
        explain=body.explain or bool(body.why_not),
    )
    numbers = _tuning(state, wanted or state.settings)
    return recall.recall(tx, query, query_vector=vector, settings=numbers, now=clock.now())


def _tuning(state: State, settings: Settings) -> RecallSettings:
    return models.settings_of(
        settings, embedding_model=state.vectors.model, scale=state.vectors.scale
    )


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid("timezone must be an IANA name, for example Europe/Paris") from error
