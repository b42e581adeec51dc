"""Change, forget and recover memories, one or many."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, TypedDict, cast

from fastapi import Query
from pydantic import ValidationError

from signet import clock
from signet.domain.auth import caller
from signet.domain.auth.caller import ScopeDenied
from signet.domain.backup import create, kept
from signet.domain.identity import files
from signet.domain.memory import choose, derived, filters, forget, leave, lookup, modify, review
from signet.domain.memory.choose import Choice, Chosen, ForgetCandidate
from signet.domain.memory.lookup import Refused
from signet.domain.memory.models import Actor, Along, Changed, Forget, Memory, Patch, Recover, Rules
from signet.domain.recall import vector
from signet.domain.summaries import files as notes
from signet.errors import Invalid, StorageFull
from signet.wire import memory as wire
from signet.wire.access import Quota
from signet.wire.requests.changes import (
    DecisionBody,
    ForgetBody,
    ForgetOneBody,
    ModifyBody,
    PatchBody,
    PatchItem,
    RecoverBody,
    RecoverManyBody,
)
from signet_api import access, scopes
from signet_api.deps import Ask, Asker, State, filed, merged, project_of
from signet_api.errors import note_refusal, problem
from signet_api.routes.remember import Admitted, answer
from signet_api.scopes import each
from signet_api.serving import serves
from signet_api.shapes import as_wire, filled

#: Maximum number of listed derived memories, and characters of each.
MOST_SHOWN, MOST_CHARS = 50, 200


@serves(wire.MODIFY)
async def patch_memory(memory_id: str, body: PatchBody, ask: Ask) -> wire.Modified:
    """Change a memory; empty `tags` clear them. `if_version` refuses a concurrent change (409).

    The refusal contains `current_version`, and `duplicate_memory_id` if another memory has the text.
    """
    patch = await _patch(memory_id, body, await ask.agent(body), ask.state)
    return _modified(await _modify(ask, patch, ask.actor(body.changed_by)))


@serves(wire.MODIFY_MANY)
async def post_modify(body: ModifyBody, ask: Ask) -> wire.ModifiedMany:
    """Change up to 200 memories independently; a refused patch does not stop the others. Results are in order."""
    ask.state.check_writable()
    agent_id, actor = await ask.agent(body), ask.actor(body.changed_by)
    results = await each(
        (_id_of(patch), _item(ask, patch, body.reason, agent_id, actor)) for patch in body.patches
    )
    updated = sum(result["status"] == "updated" for result in results)
    return {"success": True, "total": len(results), "updated": updated, "results": results}


@serves(wire.FORGET)
async def delete_memory(
    memory_id: str,
    ask: Ask,
    query: Annotated[ForgetOneBody, Query()],
    body: ForgetOneBody | None = None,
) -> wire.Modified:
    """Forget a memory and everything derived only from it; both can be recovered for 30 days.

    A pinned one needs `force`; `wrong` marks it as untrue. `erase` deletes permanently, even a pinned or forgotten
    one, and soon its bytes in the database file; `heldBy` then lists documents and copies on disk that may still
    contain it. `reason` is required.
    """
    asked = merged(query, body)
    if asked.force or asked.erase:
        await _count_forced(ask, Quota.FORGET)
    held_by = await _copies(ask.state, memory_id) if asked.erase else []
    wanted = filled(
        Forget,
        asked,
        memory_id=memory_id,
        agent_id=await ask.agent(asked),
        force=asked.force or asked.erase,
        is_wrong=asked.wrong,
        for_good=asked.erase,
    )
    changed = await ask.change(forget.forget_one, wanted, actor=ask.actor(asked.changed_by))
    done = changed_body(changed)
    return {**done, "heldBy": [*changed.along.held_by, *held_by]} if asked.erase else done


async def _count_forced(ask: Asker, instead_of: Quota) -> None:
    await access.count(ask.state, Quota.FORCE_DELETE, ask.request.headers, instead_of=instead_of)


async def _copies(state: State, memory_id: str) -> list[str]:
    memory = await state.db.aread(lookup.find, memory_id)
    saved_at = clock.parsed(memory.created_at) if memory else None
    if memory is None or saved_at is None:
        return []
    found = await asyncio.to_thread(kept.copies_since, state.workspace, saved_at)
    written = await state.db.aread(notes.every_path)
    found += await asyncio.to_thread(notes.holding, state.workspace, written, memory.content)
    return [str(path) for path in found]


@serves(wire.RECOVER)
async def post_recover(
    memory_id: str,
    ask: Ask,
    query: Annotated[RecoverBody, Query()],
    body: RecoverBody | None = None,
) -> wire.Recovered:
    """Recover a forgotten memory within 30 days; `reason` is required."""
    asked = merged(query, body)
    wanted = filled(Recover, asked, memory_id=memory_id, agent_id=await ask.agent(asked))
    changed = await ask.change(review.recover, wanted, actor=ask.actor(asked.changed_by))
    days = Rules.from_settings(ask.state.settings).recover_within.days
    return {**changed_body(changed), "retentionDays": days}


@serves(wire.ADOPT)
async def post_adopt(
    memory_id: str, ask: Admitted, body: DecisionBody | None = None
) -> wire.SavedMemory:
    """Give a removed agent's archived memory to an agent."""
    saved = await ask.change(leave.adopt, memory_id, agent_id=await ask.agent(body))
    await ask.state.admission.saved()
    return answer(saved)


@serves(wire.RECOVER_MANY)
async def post_recover_many(body: RecoverManyBody, ask: Ask) -> wire.RecoveredMany:
    """Recover up to 200 forgotten memories independently; a refused one does not stop the others."""
    ask.state.check_writable()
    asked = partial(Recover, reason=body.reason, agent_id=await ask.agent(body))
    actor = ask.actor(body.changed_by)
    results = await each(
        (one, _result(ask, review.recover, asked(memory_id=one), actor))
        for one in dict.fromkeys(body.ids)
    )
    return {
        "success": True,
        "requested": len(results),
        "recovered": sum(result["status"] == "recovered" for result in results),
        "results": results,
    }


async def _result(
    ask: Asker, change: Callable[..., Changed], asked: Forget | Recover, actor: Actor
) -> wire.Modified:
    """Change one of several memories; a refusal becomes its result."""
    try:
        changed = await ask.change(change, asked, actor=actor)
    except ScopeDenied as error:
        return scopes.denied(asked.memory_id, error)
    except Refused as refused:
        return _refused_body(refused)
    return changed_body(changed)


def changed_body(changed: Changed) -> wire.Modified:
    body: wire.Modified = {
        "success": True,
        "id": changed.id,
        "status": changed.status,
        "currentVersion": changed.current_version,
    }
    if changed.new_version is not None:
        body["newVersion"] = changed.new_version
    return {**body, **along_body(changed.along)} if changed.along != Along() else body


def along_body(along: Along) -> wire.Derived:
    """Return the answer's part about derived memories."""
    goes, stays = along.goes[:MOST_SHOWN], along.stays[:MOST_SHOWN]
    body: wire.Derived = {
        "alongCount": len(along.goes),
        "along": [{"id": memory_id, "content": text[:MOST_CHARS]} for memory_id, text in goes],
        "staying": [
            {"id": one.id, "content": one.content[:MOST_CHARS], "why": one.why} for one in stays
        ],
    }
    return {**body, "heldBy": list(along.held_by)} if along.held_by else body


def _refused_body(refused: Refused) -> wire.Modified:
    """Return the answer for one refusal among several, and record it."""
    note_refusal(refused)
    return {**cast("wire.Modified", refused.facts), "error": refused.message}


def _modified(changed: Changed) -> wire.Modified:
    body = changed_body(changed)
    if changed.new_version is None:
        return body
    # A job creates the new text's vector later.
    body["contentChanged"] = changed.content_changed
    body["embedded"] = False
    if changed.masked:
        body["masked"] = list(changed.masked)
    if changed.lifted:
        body["lifted"] = list(changed.lifted)
    return body


async def _modify(ask: Asker, patch: Patch, actor: Actor) -> Changed:
    if patch.content and Rules.from_settings(ask.state.settings).masks:
        # Before the transaction, because masking a long text takes long and blocks other writers.
        patch = await asyncio.to_thread(modify.without_secrets, patch)
    return await ask.change(modify.modify, patch, actor=actor)


async def _item(
    ask: Asker, sent: Any, reason: str | None, agent_id: str, actor: Actor
) -> wire.Modified:
    """Apply one patch of a batch; errors become its result."""
    fields = dict(sent) if isinstance(sent, Mapping) else {}
    if fields.get("reason") is None:
        fields["reason"] = reason
    try:
        item = PatchItem.model_validate(fields)
        patch = await _patch(item.id, item, agent_id, ask.state)
        return _modified(await _modify(ask, patch, actor))
    except ValidationError as error:
        first = error.errors()[0]
        return _invalid(sent, problem(first, first["loc"]))
    except Invalid as error:
        return _invalid(sent, error.message)
    except ScopeDenied as error:
        return scopes.denied(_id_of(sent), error)
    except Refused as refused:
        return _refused_body(refused)


def _invalid(sent: Any, why: str) -> wire.Modified:
    return {"success": False, "id": _id_of(sent), "status": "invalid_request", "error": why}


def _id_of(sent: Any) -> str | None:
    named = (sent.get("id"), sent.get("memoryId")) if isinstance(sent, Mapping) else ()
    memory_id = next((name for name in named if name is not None), None)
    return memory_id if isinstance(memory_id, str) else None


async def _patch(memory_id: str, body: PatchBody, agent_id: str, state: State) -> Patch:
    project = body.project and body.project.strip()
    if project:
        project = await project_of(project, state)
    scope = caller.current().scope.project
    if scope is not None and project is not None and project != scope:
        raise Invalid(f"this caller may only write in the project {scope}")
    return filled(Patch, body, memory_id=memory_id, agent_id=agent_id, project=project)


@serves(wire.FORGET_MANY)
async def post_forget(body: ForgetBody, ask: Ask) -> wire.ForgetPreview | wire.ForgottenMany:
    """Forget up to 200 memories by IDs, words or filters, with `all` every match; `mode=preview` only lists them.

    Also forgets everything derived only from them. `force` deletes permanently, including pinned ones; `wrong` marks
    them as untrue. More than 25 need the `confirm_token` of a preview of the same memories.
    """
    state, agent_id = ask.state, await ask.agent(body)
    if body.mode == "execute":
        if body.force:
            await _count_forced(ask, Quota.BATCH_FORGET)
        if not body.reason.strip():
            raise Invalid("reason is required")
        state.check_writable()
    placed = await filed(body, state)
    choice = filled(
        Choice,
        placed,
        agent_id=agent_id,
        ids=tuple(body.ids or ()),
        scope=body.scope or None,
        since=filters.instant("since", body.since),
        until=filters.instant("until", body.until, last=True),
        user=await asyncio.to_thread(files.user, state.workspace),
    )
    chosen = await _chosen(choice, state)
    found, total = chosen.page, chosen.total
    if body.mode == "preview":
        going = [one.id for one in found if body.force or not one.pinned]
        along = await state.db.aread(derived.along, going, is_asked=not body.undo)
        shown = found[: body.limit or choose.DEFAULT_LIMIT] if body.all else found
        texts = await state.db.aread(lookup.several, [one.id for one in (*shown, *chosen.similar)])
        return {**_preview(chosen, texts), **along_body(along)}
    choose.confirm(found, body.confirm_token)
    actor, copied = ask.actor(body.changed_by), await _copied(state, found)
    asked = partial(
        Forget,
        reason=body.reason,
        agent_id=agent_id,
        force=body.force,
        for_good=body.force,
        is_wrong=body.wrong,
        undo=body.undo,
    )
    results: list[wire.Modified] = []
    for start in range(0, len(found), choose.MAX_CANDIDATES):
        some = found[start : start + choose.MAX_CANDIDATES]
        results += await each(
            (one.id, _result(ask, forget.forget_one, asked(memory_id=one.id), actor))
            for one in some
        )
    denied = await state.db.aread(
        lookup.refused, list(dict.fromkeys(map(str.strip, body.ids or ())))
    )
    results += [scopes.denied(memory_id, error) for memory_id, error in denied.items()]
    forgotten: wire.ForgottenMany = {
        "success": True,
        "mode": "execute",
        "requested": len(results),
        "deleted": sum(result["status"] == "deleted" for result in results),
        "count": len(found),
        "total": total,
        "pinned": sum(one.pinned for one in found),
        "results": results,
    }
    return {**forgotten, **copied}


async def _chosen(choice: Choice, state: State) -> Chosen:
    """Return the chosen memories; the vectors are computed before the transaction."""
    vectors: dict[str, bytes | None] = {}
    for text in choose.subjects(choice.query):
        vectors[text] = await asyncio.to_thread(await state.vectors.for_text(text), {})
    nearest = partial(vector.near, model=state.vectors.model, scale=state.vectors.scale)
    return await state.db.aread(choose.candidates, choice, vectors, nearest)


class _Copied(TypedDict, total=False):
    backup: str | None
    backupSkipped: str


async def _copied(state: State, found: list[ForgetCandidate]) -> _Copied:
    """Back up before a bulk request; a full disk does not prevent it."""
    if not choose.needs_confirmation(found):
        return {}
    last = await state.db.aread(choose.last_change, [one.id for one in found])
    now = clock.now()
    try:
        path = await asyncio.to_thread(
            create.before_forget, state.workspace, last_change=clock.parsed(last) or now, now=now
        )
    except StorageFull as error:
        return {"backup": None, "backupSkipped": error.message}
    return {"backup": str(path)}


def _preview(chosen: Chosen, texts: list[Memory]) -> wire.ForgetPreview:
    known = {one.id: one for one in texts}

    def shown(some: list[ForgetCandidate]) -> list[wire.Candidate]:
        return [_candidate(one, known[one.id]) for one in some if one.id in known]

    return {
        "success": True,
        "mode": "preview",
        "count": len(chosen.page),
        "total": chosen.total,
        "requiresConfirm": choose.needs_confirmation(chosen.page),
        "confirmToken": choose.confirm_token(one.id for one in chosen.page),
        "candidates": shown(chosen.page),
        "similar": shown(chosen.similar),
    }


def _candidate(one: ForgetCandidate, memory: Memory) -> wire.Candidate:
    tags = ",".join(memory.tags) or None
    return as_wire(
        wire.Candidate, memory, score=one.score, version=one.version, tags=tags, why=one.why
    )
