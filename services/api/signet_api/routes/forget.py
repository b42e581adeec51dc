"""Forget many memories, with a preview."""

import asyncio
from functools import partial
from typing import TypedDict

from fastapi import Request

from signet import clock
from signet.domain.backup import automatic
from signet.domain.memory import choose, derived, forget, lookup
from signet.domain.memory.choose import Candidate, Choice, Chosen
from signet.domain.memory.models import Forget, Memory
from signet.errors import Invalid, StorageFull
from signet.wire import memory as wire
from signet.wire.access import Quota
from signet.wire.requests.changes import ForgetBody
from signet_api import limits, scopes
from signet_api.deps import Shared, State, Who, agent_of, asking, filed
from signet_api.routes.changes import along_body, result_of
from signet_api.scopes import each
from signet_api.serving import serves
from signet_api.shapes import as_wire, filled


@serves(wire.FORGET_MANY)
async def post_forget(
    body: ForgetBody, request: Request, state: Shared, actor: Who
) -> wire.ForgetPreview | wire.ForgottenMany:
    """Forget up to 200 memories by IDs, words or filters, with `all` every match; `mode=preview` only lists them.

    Also forgets everything derived only from them. `force` deletes permanently, including pinned ones; `wrong` marks
    them as untrue. More than 25 need the `confirm_token` of a preview of the same memories.
    """
    agent_id = await agent_of(body.agent_id, body.session_key, request)
    if body.mode == "execute":
        if body.force:
            forced = Quota.FORCE_DELETE
            await limits.count(state, forced, request.headers, instead_of=Quota.BATCH_FORGET)
        _check(body, state)
    choice = _choice(await filed(body, state), agent_id)
    chosen = await state.db.aread(choose.candidates, choice)
    found, total = chosen.page, chosen.total
    if body.mode == "preview":
        going = [one.id for one in found if body.force or not one.pinned]
        along = await state.db.aread(derived.along, going, is_asked=True)
        shown = found[: body.limit or choose.DEFAULT_LIMIT] if body.all else found
        texts = await state.db.aread(lookup.several, [one.id for one in (*shown, *chosen.similar)])
        return {**_preview(chosen, texts), **along_body(along)}
    choose.confirm(found, body.confirm_token)
    actor = asking(actor, body.changed_by, request.headers)
    copied = await _copied(state, found)
    asked = partial(
        Forget,
        reason=body.reason,
        agent_id=agent_id,
        force=body.force,
        for_good=body.force,
        is_wrong=body.wrong,
    )
    results: list[wire.Modified] = []
    for start in range(0, len(found), choose.MAX_CANDIDATES):
        some = found[start : start + choose.MAX_CANDIDATES]
        results += await each(
            (one.id, result_of(state, forget.forget_one, asked(memory_id=one.id), actor))
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


class _Copied(TypedDict, total=False):
    backup: str | None
    backupSkipped: str


async def _copied(state: State, found: list[Candidate]) -> _Copied:
    """Back up before a bulk request; a full disk does not prevent it."""
    if not choose.needs_confirmation(found):
        return {}
    last = await state.db.aread(choose.last_change, [one.id for one in found])
    now = clock.now()
    try:
        path = await asyncio.to_thread(
            automatic.before_forget,
            state.workspace,
            last_change=clock.parsed(last) or now,
            now=now,
        )
    except StorageFull as error:
        return {"backup": None, "backupSkipped": error.message}
    return {"backup": str(path)}


def _check(body: ForgetBody, state: State) -> None:
    if not body.reason.strip():
        raise Invalid("reason is required")
    state.check_writable()


def _choice(body: ForgetBody, agent_id: str) -> Choice:
    ids = tuple(body.ids or ())
    return filled(Choice, body, agent_id=agent_id, ids=ids, scope=body.scope or None)


def _preview(chosen: Chosen, texts: list[Memory]) -> wire.ForgetPreview:
    known = {one.id: one for one in texts}

    def shown(some: list[Candidate]) -> list[wire.Candidate]:
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


def _candidate(one: Candidate, memory: Memory) -> wire.Candidate:
    tags = ",".join(memory.tags) or None
    return as_wire(
        wire.Candidate, memory, score=one.score, version=one.version, tags=tags, why=one.why
    )
