"""Start a session: claim it and return its context."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.episodes import commits, fence
from signet.domain.episodes.models import statement_name
from signet.domain.graph import traversal
from signet.domain.graph.traversal import Purpose as Walked
from signet.domain.graph.traversal import TraversalOrigin
from signet.domain.injections import ratings
from signet.domain.injections.models import Item, Phase
from signet.domain.injections.ratings import Scored
from signet.domain.memory import marks
from signet.domain.recall import recall
from signet.domain.secrets.vault import Vault
from signet.domain.sessions import (
    calls,
    decided,
    identity_files,
    lifecycle,
    prompt_text,
    start_sources,
)
from signet.domain.sessions.calls import Services, SessionCall
from signet.domain.sessions.candidates import StartCandidate
from signet.domain.sessions.context import InjectedContext, context_of
from signet.domain.sessions.identity_files import Identity
from signet.domain.sessions.models import Continuity
from signet.domain.sessions.prompt_text import EXPLAINED, PromptQuery
from signet.domain.sessions.start_sources import StartMaterial, StartQuery
from signet.domain.sessions.start_text import MEMORY
from signet.errors import SignetError
from signet.observe import logs, record
from signet.observe.record import TelemetryKind
from signet.wire.access import Permission
from signet.wire.hooks import StartedSession, ToldMemory
from signet.wire.requests.recall import RecallBody

log = logs.get("hooks")

#: Longest wait for recall at a session start (HK-37).
RECALL_SECONDS = 1.0
#: The answer without a context.
NOTHING: StartedSession = {"inject": "", "memories": []}


async def start(
    call: SessionCall, about: str, services: Services, *, needs_context: bool, notice: str
) -> StartedSession:
    """Claim a session and return its context; return nothing if it has received that before.

    `needs_context` sends everything again, because the session has lost it. `about` is the session's topic in the words
    of its harness; `notice` is a message about Signet itself. Raises Conflict.
    """
    now = clock.now()
    begun = await services.note(lifecycle.begin, call, now=now) or lifecycle.Begun()
    await _read_commits(call, services)
    if begun.is_bypassed:
        return {**NOTHING, "bypassed": True}
    if begun.is_known and not needs_context:
        answer: StartedSession = {"identity": {"name": identity_files.UNNAMED}, **NOTHING}
    else:
        given = frozenset[str]() if needs_context else begun.given
        answer = await _context(call, about, services, notice, given, now)
    if begun.warning:
        answer["warnings"] = [begun.warning]
    return answer


async def _read_commits(call: SessionCall, services: Services) -> None:
    """Queue the reading of the repository's commit messages, unless settings switch that off."""
    is_wanted = services.settings.hooks.session_start.read_commits
    if call.here and call.place.is_repository and is_wanted:
        await services.note(commits.ask, call.agent_id, call.here, call.place.root)


async def _context(
    call: SessionCall,
    about: str,
    services: Services,
    notice: str,
    before: frozenset[str],
    now: datetime,
) -> StartedSession:
    settings = services.settings
    said = about.strip()
    about = (about or settings.hooks.session_start.query or "").strip()
    held = await calls.is_held_out(call, services)
    scores, files, secrets = await asyncio.gather(
        _recalled(call, about, services),
        asyncio.to_thread(identity_files.load, services.workspace, call.agent_id, call.where),
        asyncio.to_thread(_secrets, services),
    )

    def gather(tx: ReadTx) -> StartMaterial:
        asked = StartQuery(
            reader=agents.reader(tx, call.agent_id, here=call.where),
            key=call.key,
            project=call.where.project or None,
            context=about,
            memory=files.memory,
            recalled=scores,
        )
        found = start_sources.gather(tx, asked, settings, now=now)
        return start_sources.held_out(found) if held else found

    if _reads_workspace(call, services):
        files = Identity(card=files.card)
    found = start_sources.without(await services.db.aread(gather), before)
    files = replace(files, memory=found.memory)
    if found.failed:
        log.warning("session.parts_missing", parts=found.failed)
    answer, items = _answer(found, files, secrets, settings, notice, now)
    given = _given(found, answer["inject"])
    context = await _earlier(call, said, given, services, is_held_out=held)
    given += context.given
    await services.note(_keep, call, found, given, settings, now=now)
    record.event(
        TelemetryKind.SESSION_START,
        harness=call.harness,
        memories=len(found.told),
        identityFiles=files.count,
    )
    if context.text:
        answer["inject"] = f"{answer['inject']}\n\n{context.text}".strip()
    items = [*items, *context.items]
    calls.record_injection(services.record, call, Phase.START, answer["inject"], items)
    return answer


async def _earlier(
    call: SessionCall, about: str, given: Sequence[str], services: Services, *, is_held_out: bool
) -> InjectedContext:
    """Return earlier work about the session's topic, if its harness reports one at the start.

    Harnesses that call a hook at each prompt report none, and receive earlier work then.
    """
    rules = services.settings.hooks.user_prompt_submit
    if not (about and rules.enabled):
        return InjectedContext()
    asked = PromptQuery(
        agent_id=call.agent_id,
        message=about,
        terms=(),  # memories are part of every start
        chars=rules.max_brief_chars,
        line_chars=0,
        key=call.key,
        here=call.where,
        given=frozenset(given),
        is_held_out=is_held_out,
    )
    return await context_of(asked, services)


def _given(found: StartMaterial, told: str) -> list[str]:
    """Return the names of the items in the start text: memories, and the rules among them from any source."""
    ids = [one.id for one in found.told]
    rules = [one.text for one in found.constraints]
    rules += [one.content for one in found.told]
    rules += [text for one in found.decided for text in decided.known(one)]
    return [
        *([EXPLAINED] if fence.EXPLAINED in told else []),
        *ids,
        *map(statement_name, rules),
        *decided.names(found.decided, told),
    ]


def _reads_workspace(call: SessionCall, services: Services) -> bool:
    """Return whether the harness itself loads our identity files, as OpenClaw does in its workspace."""
    root = os.path.realpath(services.workspace.root)
    return call.harness == "openclaw" and f"{call.place.root}/".startswith(f"{root}/")


def _answer(
    found: StartMaterial,
    files: Identity,
    secrets: list[str],
    settings: Settings,
    notice: str,
    now: datetime,
) -> tuple[StartedSession, list[Item]]:
    who = identity_files.name_of(files, settings.agent)
    start = settings.hooks.session_start
    text, items = start_sources.inject(
        found, files, who, secrets, settings, notice=notice, local=now.astimezone()
    )
    recent = prompt_text.cut(files.memory, MEMORY) if start.include_recent_context else ""
    told = [_told(one) for one in found.told]
    if recent:
        return {"identity": who, "memories": told, "recentContext": recent, "inject": text}, items
    return {"identity": who, "memories": told, "inject": text}, items


def _told(one: StartCandidate) -> ToldMemory:
    return {
        "id": one.id,
        "content": one.content,
        "type": one.type,
        "importance": one.importance,
        "created_at": one.created_at,
    }


def _keep(
    tx: WriteTx,
    call: SessionCall,
    found: StartMaterial,
    given: Sequence[str],
    settings: Settings,
    *,
    now: datetime,
) -> None:
    """Record what the session received and, for a known session, its candidates."""

    def fresh(before: Continuity) -> Continuity:
        return replace(
            before,
            focal_ids=tuple(one.id for one in found.walk.focal),
            focal_names=tuple(one.name for one in found.walk.focal),
            aspect_ids=tuple(found.aspects),
            constraints=len(found.constraints),
            traversed=len(found.walk.memories),
        )

    told = [one.id for one in found.told]
    lifecycle.started(tx, call, fresh, given, settings, now=now)
    marks.count_showing(tx, told)
    if call.key is not None:
        known = [Scored(one.id, one.score, one.source) for one in found.candidates]
        ratings.put(tx, Phase.START, call.agent_id, call.key, known, told, now=now)
    if found.walk.focal:
        traversal.keep(
            tx,
            found.walk,
            Walked.SESSION_START,
            TraversalOrigin.PROJECT if call.project else TraversalOrigin.SESSION,
            agent_id=call.agent_id,
            now=now,
        )


async def _recalled(call: SessionCall, about: str, services: Services) -> dict[str, float]:
    """Return the results of recall as scores by ID; empty if it takes too long."""
    if not about:
        return {}
    limit = services.settings.hooks.session_start.recall_limit
    body = RecallBody.model_validate({"query": about, "limit": limit})
    try:
        result = await asyncio.wait_for(
            services.recall(body, call.agent_id, call.where), RECALL_SECONDS
        )
    except (TimeoutError, SignetError) as error:
        log.warning("session.without_recall", reason=str(error) or "too slow")
        return {}
    useful = frozenset(recall.touched(result))
    return {hit.id: hit.score for hit in result.hits if hit.id in useful}


def _secrets(services: Services) -> list[str]:
    """Return the names of secrets for a caller who may use them; empty if they cannot be read (HK-36)."""
    if Permission.ADMIN not in caller.current().permissions:
        return []
    try:
        return Vault(services.workspace.vault).names()
    except (SignetError, OSError):
        return []
