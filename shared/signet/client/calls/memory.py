"""Memories: save, read, change, forget, recover."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from signet.client.call import Call, ask, listed, one_or_more, only
from signet.client.method import method
from signet.wire import memory as wire
from signet.wire.memory import (
    Change,
    ForgetPreview,
    ForgottenMany,
    ForgottenValues,
    Lifted,
    Memory,
    MemoryPage,
    MemoryTimeline,
    Modified,
    ModifiedMany,
    Recovered,
    Remembered,
)


class Patch(TypedDict, total=False):
    """One change for `modify_many`; `id` is needed, a field that is left out stays, `tags` None clears them."""

    id: str
    content: str
    type: str
    tags: str | list[str] | None
    importance: float
    pinned: bool
    who: str
    reason: str
    if_version: int


class Choice(TypedDict, total=False):
    """Which memories are to be forgotten: those of these `ids`, with the words of `query`, that pass the filters.

    `offset` leaves out so many of the first, to see the candidates of a preview page by page.
    """

    ids: Sequence[str] | None
    query: str | None
    type: str | None
    tags: str | Sequence[str] | None
    who: str | None
    source_type: str | None
    since: str | None
    until: str | None
    scope: str | None
    limit: int | None
    offset: int | None
    agent_id: str | None


def _sent(chosen: Choice) -> dict[str, object]:
    named = {name: value for name, value in chosen.items() if name != "agent_id"}
    lists = {"ids": listed(chosen.get("ids")), "tags": one_or_more(chosen.get("tags"))}
    return {**named, **lists, "agentId": chosen.get("agent_id")}


class MemoryCalls:
    """Memories: save, read, change, forget, recover."""

    @method
    def remember(
        self,
        content: str,
        *,
        type: str | None = None,
        who: str | None = None,
        project: str | None = None,
        importance: float | None = None,
        tags: str | Sequence[str] | None = None,
        pinned: bool = False,
        private: bool = False,
        agent_id: str | None = None,
        session_key: str | None = None,
        scope: str | None = None,
        source_type: str | None = None,
        source_id: str | None = None,
        ordinal: int | None = None,
        created_at: str | None = None,
        event_at: str | None = None,
        supersedes: str | Sequence[str] | None = None,
        hints: Sequence[str] | None = None,
        entities: Sequence[str | Mapping[str, Any]] | None = None,
        aspects: Sequence[Mapping[str, Any]] | None = None,
        transcript: str | None = None,
        harness: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Remembered]:
        """Save a text; `deduped` in the answer says that it was there before.

        `event_at` is when it happened, if not now. The memories in `supersedes` step behind this one. `hints` are
        questions that it answers; `entities` and `aspects` say what is known already of the things it names. A save
        with an `idempotency_key` is sent again when the connection breaks, and is still saved once.

        >>> signet.remember("The ferry leaves at seven.", tags=["harbour"])["type"]
        'fact'
        """
        body = {
            "content": content,
            "type": type,
            "who": who,
            "project": project,
            "importance": importance,
            "tags": one_or_more(tags),
            "pinned": pinned or None,
            "visibility": "private" if private else None,
            "agentId": agent_id,
            "sessionKey": session_key,
            "scope": scope,
            "sourceType": source_type,
            "sourceId": source_id,
            "ordinal": ordinal,
            "createdAt": created_at,
            "eventAt": event_at,
            "supersedes": one_or_more(supersedes),
            "hints": listed(hints),
            "entities": listed(entities),
            "aspects": listed(aspects),
            "transcript": transcript,
            "harness": harness,
            "idempotencyKey": idempotency_key,
        }
        return ask(wire.REMEMBER, body=body, is_safe=idempotency_key is not None)

    @method
    def get(self, memory_id: str, *, agent_id: str | None = None) -> Call[Memory]:
        """Return one memory; raises NotFound, also when it is forgotten."""
        return ask(wire.MEMORY, memory_id, agent_id=agent_id)

    @method
    def history(
        self, memory_id: str, *, limit: int | None = None, agent_id: str | None = None
    ) -> Call[list[Change]]:
        """Return what has happened to a memory, oldest first, also when it is forgotten; raises NotFound."""
        call = ask(wire.HISTORY, memory_id, limit=limit, agent_id=agent_id)
        return call.picking(lambda found: found["history"])

    @method
    def memories(
        self,
        *,
        limit: int = 100,
        offset: int = 0,
        before: str | None = None,
        type: str | None = None,
        agent_id: str | None = None,
    ) -> Call[MemoryPage]:
        """Return a page of memories, newest first, and counts over all under `stats`.

        With `before` it begins behind the memory of this id, whatever has come or gone since that was read.
        """
        return ask(
            wire.MEMORIES, limit=limit, offset=offset, before=before, type=type, agent_id=agent_id
        )

    @method
    def ids(self, prefix: str, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return the ids that begin so, at most ten, those of forgotten memories too."""
        return ask(wire.MEMORY_IDS, prefix=prefix, agent_id=agent_id).picking(
            lambda found: found["ids"]
        )

    @method
    def memory_timeline(
        self, *, scope: str | None = None, agent_id: str | None = None
    ) -> Call[MemoryTimeline]:
        """Return counts, types, authors and tags of today, of the last seven days and of the last thirty."""
        return ask(wire.MEMORY_TIMELINE, scope=scope, agent_id=agent_id)

    @method
    def modify(
        self,
        memory_id: str,
        *,
        reason: str,
        content: str | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        who: str | None = None,
        if_version: int | None = None,
        agent_id: str | None = None,
    ) -> Call[Modified]:
        """Change a memory; empty `tags` clear them.

        Raises NotFound, or Conflict with `current_version` and, when another memory says the same,
        `duplicate_memory_id`.
        """
        body = {
            "content": content,
            "type": type,
            "tags": one_or_more(tags),
            "importance": importance,
            "pinned": pinned,
            "who": who,
            "reason": reason,
            "if_version": if_version,
            "agentId": agent_id,
        }
        return ask(wire.MODIFY, memory_id, body=body)

    @method
    def modify_many(
        self, patches: Sequence[Patch], *, reason: str | None = None, agent_id: str | None = None
    ) -> Call[ModifiedMany]:
        """Change up to 200 memories, each by itself: a refused one does not stop the others."""
        body = {"patches": listed(patches), "reason": reason, "agentId": agent_id}
        return ask(wire.MODIFY_MANY, body=body)

    @method
    def forget(
        self,
        memory_id: str,
        *,
        reason: str,
        force: bool = False,
        if_version: int | None = None,
        agent_id: str | None = None,
    ) -> Call[Modified]:
        """Forget a memory; it can be recovered for 30 days. A pinned one needs `force`.

        Raises NotFound or Conflict.
        """
        body = {
            "reason": reason,
            "force": force or None,
            "if_version": if_version,
            "agentId": agent_id,
        }
        return ask(wire.FORGET, memory_id, body=body)

    @method
    def preview_forget(self, **chosen: Unpack[Choice]) -> Call[ForgetPreview]:
        """Return what `forget_many` would take with the same words, and the token that confirms it; changes nothing."""
        body = {"mode": "preview", **_sent(chosen)}
        return only(ForgetPreview, ask(wire.FORGET_MANY, body=body, is_safe=True))

    @method
    def forget_many(
        self,
        *,
        reason: str,
        force: bool = False,
        confirm_token: str | None = None,
        **chosen: Unpack[Choice],
    ) -> Call[ForgottenMany]:
        """Forget up to 200 memories by their ids, by words or by filters.

        `force` removes them for good, pinned ones too. More than 25 need the `confirm_token` of a preview of the same
        memories.
        """
        how = {"reason": reason, "force": force or None, "confirm_token": confirm_token}
        body = {"mode": "execute", **how, **_sent(chosen)}
        return only(ForgottenMany, ask(wire.FORGET_MANY, body=body))

    @method
    def recover(
        self,
        memory_id: str,
        *,
        reason: str,
        if_version: int | None = None,
        agent_id: str | None = None,
    ) -> Call[Recovered]:
        """Bring a forgotten memory back, within 30 days; raises NotFound or Conflict."""
        body = {"reason": reason, "if_version": if_version, "agentId": agent_id}
        return ask(wire.RECOVER, memory_id, body=body)

    @method
    def forgotten(
        self, *, limit: int = 100, offset: int = 0, agent_id: str | None = None
    ) -> Call[ForgottenValues]:
        """Return a page of what was forgotten, newest first; none of it is saved again by itself."""
        return ask(wire.FORGOTTEN, limit=limit, offset=offset, agent_id=agent_id)

    @method
    def lift_forgotten(self, memory_id: str, *, agent_id: str | None = None) -> Call[Lifted]:
        """Let a forgotten value be saved again; its memory stays forgotten. Raises NotFound."""
        return ask(wire.LIFT, memory_id, agent_id=agent_id)
