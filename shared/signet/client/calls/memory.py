"""Memories: save, read, change, forget, recover and rate."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from signet.client.method import Fields, asks
from signet.wire import memory as wire
from signet.wire import memory_links as links
from signet.wire.injections import MemoryUsage


class Patch(TypedDict, total=False):
    """One change for `modify_many`; `id` is required, omitted fields are unchanged, `tags` None clears them."""

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
    """Memories to forget: by `ids`, by the words of `query`, or by filters.

    `offset` pages through the candidates of a preview. `all` selects every match, and `limit` only the number that a
    preview shows.
    """

    ids: Sequence[str] | None
    query: str | None
    type: str | None
    tags: str | Sequence[str] | None
    who: str | None
    project: str | None
    pinned: bool | None
    source_type: str | None
    since: str | None
    until: str | None
    scope: str | None
    limit: int | None
    offset: int | None
    all: bool
    agent_id: str | None


class MemoryFilter(TypedDict, total=False):
    """Filters of a list; omitted ones do not apply, and times are inclusive.

    `q` are words in the text, `who` is the author. `state` is `active`, `superseded` or `forgotten`; default: all
    except forgotten. `as_of` lists memories as of that time. `unreviewed`: only those without a verdict (`judge`).
    """

    q: str | None
    ids: Sequence[str] | None
    type: str | None
    who: str | None
    project: str | None
    tags: str | Sequence[str] | None
    source_type: str | None
    source_id: str | None
    pinned: bool | None
    importance_min: float | None
    since: str | None
    until: str | None
    event_since: str | None
    event_until: str | None
    state: Literal["active", "superseded", "forgotten", "archived"] | None
    as_of: str | None
    unreviewed: bool | None
    scope: str | None


def _visible(sent: Fields) -> Fields:
    return sent | {"visibility": "private"} if sent.pop("private", False) else sent


class MemoryCalls:
    """Memories: save, read, change, forget, recover and rate."""

    @asks(wire.REMEMBER, prepared=_visible, is_safe="idempotency_key")
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
    ) -> wire.Remembered:
        """Save a text; `deduped` in the answer means that it already existed.

        `event_at` is when it happened, if not now. The new memory supersedes those in `supersedes`. `hints` are
        questions that it answers; `entities` and `aspects` describe entities in the text. A save with an
        `idempotency_key` is retried after a broken connection, and still saved once.

        >>> signet.remember("The ferry leaves at seven.", tags=["harbour"])["type"]
        'fact'
        """

    @asks(wire.MEMORY)
    def get(self, memory_id: str, *, agent_id: str | None = None) -> wire.Memory:
        """Return one memory; raises NotFound, also for a forgotten one."""

    @asks(wire.HISTORY, pick=lambda found: found["history"])
    def history(
        self, memory_id: str, *, limit: int | None = None, agent_id: str | None = None
    ) -> list[wire.Change]:
        """Return a memory's history, oldest first, also if it is forgotten; raises NotFound."""

    @asks(wire.ALL_HISTORY)
    def all_history(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
    ) -> wire.HistoryPage:
        """Return the history of all memories, newest first; `cursor` is `next` of the previous page."""

    @asks(wire.MEMORY_USAGE)
    def memory_usage(
        self, memory_id: str, *, limit: int | None = None, agent_id: str | None = None
    ) -> MemoryUsage:
        """Return the sessions that received or omitted a memory, and whether they used it; raises NotFound."""

    @asks(wire.MEMORIES)
    def memories(
        self,
        *,
        limit: int = 100,
        offset: int = 0,
        before: str | None = None,
        cursor: str | None = None,
        sort: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        total: bool = False,
        stats: bool | None = None,
        facets: str | Sequence[str] | None = None,
        agent_id: str | None = None,
        **filters: Unpack[MemoryFilter],
    ) -> wire.MemoryPage:
        """Return a page of memories, newest first, with counts under `stats` unless that is False.

        `cursor` (`next` of another page) or `before` (an ID) continues there, whatever has been added or deleted
        meanwhile. `sort` is `created`, `updated`, `forgotten`, `event`, `importance` or `used`. `total` adds the
        number of matches, `facets` their counts by `type`, `who`, `project`, `tag`, `source_type` or `state`.
        """

    @asks(wire.MEMORY_IDS, pick=lambda found: found["ids"])
    def ids(self, prefix: str, *, agent_id: str | None = None) -> list[str]:
        """Return up to ten IDs with this prefix, including forgotten memories."""

    @asks(wire.MEMORY_TIMELINE)
    def memory_timeline(
        self, *, scope: str | None = None, agent_id: str | None = None
    ) -> wire.MemoryTimeline:
        """Return counts, types, authors and tags of today, the last seven and the last thirty days."""

    @asks(wire.MODIFY)
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
    ) -> wire.Modified:
        """Change a memory; empty `tags` clear them.

        Raises NotFound, or Conflict with `current_version` and, if another memory has the text,
        `duplicate_memory_id`.
        """

    @asks(wire.MODIFY_MANY)
    def modify_many(
        self, patches: Sequence[Patch], *, reason: str | None = None, agent_id: str | None = None
    ) -> wire.ModifiedMany:
        """Change up to 200 memories independently: a refused one does not stop the others."""

    @asks(wire.FORGET, has_body=True)
    def forget(
        self,
        memory_id: str,
        *,
        reason: str,
        force: bool = False,
        wrong: bool = False,
        if_version: int | None = None,
        agent_id: str | None = None,
    ) -> wire.Modified:
        """Forget a memory and everything derived only from it; both can be recovered for 30 days.

        A pinned one needs `force`; `wrong` marks it as untrue. Raises NotFound or Conflict.
        """

    @asks(wire.FORGET, has_body=True, fixed={"erase": True})
    def erase(self, memory_id: str, *, reason: str, agent_id: str | None = None) -> wire.Modified:
        """Erase a memory permanently, even a pinned or forgotten one, and soon its bytes in the database file.

        `heldBy` in the answer lists documents and copies on disk that may still contain it. Raises NotFound.
        """

    @asks(wire.FORGET_MANY, kind=wire.ForgetPreview, fixed={"mode": "preview"}, is_safe=True)
    def preview_forget(self, **chosen: Unpack[Choice]) -> wire.ForgetPreview:
        """Return what `forget_many` would forget, and its confirmation token; changes nothing."""

    @asks(wire.FORGET_MANY, kind=wire.ForgottenMany, fixed={"mode": "execute"})
    def forget_many(
        self,
        *,
        reason: str,
        force: bool = False,
        wrong: bool = False,
        confirm_token: str | None = None,
        **chosen: Unpack[Choice],
    ) -> wire.ForgottenMany:
        """Forget up to 200 memories by IDs, words or filters; with `all` every match.

        Also forgets everything derived only from them. `force` deletes permanently, including pinned ones; `wrong`
        marks them as untrue. More than 25 need the `confirm_token` of a preview of the same memories.
        """

    @asks(wire.RECOVER)
    def recover(
        self,
        memory_id: str,
        *,
        reason: str,
        if_version: int | None = None,
        agent_id: str | None = None,
    ) -> wire.Recovered:
        """Recover a forgotten memory within 30 days; raises NotFound or Conflict."""

    @asks(wire.ADOPT)
    def adopt(self, memory_id: str, *, agent_id: str | None = None) -> wire.Remembered:
        """Give a removed agent's memory to an agent; raises NotFound or Conflict."""

    @asks(wire.RECOVER_MANY)
    def recover_many(
        self, ids: Sequence[str], *, reason: str, agent_id: str | None = None
    ) -> wire.RecoveredMany:
        """Recover up to 200 forgotten memories independently: a refused one does not stop the others."""

    @asks(wire.FORGOTTEN)
    def forgotten(
        self, *, limit: int = 100, offset: int = 0, agent_id: str | None = None
    ) -> wire.ForgottenValues:
        """Return a page of forgotten values, newest first; they are not saved again automatically."""

    @asks(wire.LIFT, has_body=False)
    def lift_forgotten(self, memory_id: str, *, agent_id: str | None = None) -> wire.Lifted:
        """Allow a forgotten value to be saved again; its memory stays forgotten. Raises NotFound."""

    @asks(wire.REVIEW_LIST)
    def reviews(
        self, *, limit: int = 100, offset: int = 0, agent_id: str | None = None
    ) -> wire.WaitingMemories:
        """Return a page of memories that wait for approval, newest first."""

    @asks(wire.APPROVE)
    def approve(self, memory_id: str, *, agent_id: str | None = None) -> wire.Modified:
        """Approve a waiting memory; raises NotFound, Conflict, and Forbidden for an agent."""

    @asks(links.JUDGE)
    def judge(
        self,
        memory_id: str,
        *,
        verdict: Literal["keep", "fade", "wrong", "none"],
        agent_id: str | None = None,
    ) -> wire.Modified:
        """Set a verdict on a memory; raises NotFound, Conflict, and Forbidden for an agent.

        The pipeline never changes one to keep, one that may fade counts half, a wrong one is forgotten as untrue. A
        verdict replaces the previous one, and `none` removes it.
        """

    @asks(links.LINKS)
    def memory_links(self, memory_id: str, *, agent_id: str | None = None) -> links.Links:
        """Return a memory's sources, derived memories, corrections and entities; raises NotFound."""

    @asks(links.ACCESS)
    def memory_access(self, memory_id: str, *, agent_id: str | None = None) -> links.Access:
        """Return which agents may read a memory, and why; raises NotFound."""

    @asks(wire.REJECT)
    def reject(self, memory_id: str, *, agent_id: str | None = None) -> wire.Modified:
        """Forget a waiting memory as wrong; raises NotFound, Conflict, and Forbidden for an agent."""

    @asks(wire.RATE, names={"ratings": "feedback"})
    def rate(
        self, session_key: str, ratings: Mapping[str, float], *, agent_id: str | None = None
    ) -> wire.Rated:
        """Rate memories of a session from -1 to 1, by ID; those it did not receive are returned as `unknown`."""
