"""Memories: save, read, change, forget, recover, and say how well they served."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from signet.client.method import Fields, asks
from signet.wire import memory as wire
from signet.wire import memory_links as links
from signet.wire.injections import MemoryUsage


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

    `offset` leaves out so many of the first, to see the candidates of a preview page by page. `all` chooses every one
    there is, however many; `limit` is then how many of them a preview shows.
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
    """Which memories are listed; what is left out does not count, and times include their ends.

    `q` are words that it holds, `who` is its author. `state` is `active`, `superseded` or `forgotten`, by default all
    that are not forgotten; `as_of` means those that stood at that time, as they were then. `unreviewed`: only those of
    which no person has said what they are worth (`judge`).
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
    """Memories: save, read, change, forget, recover, and say how well they served."""

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
        """Save a text; `deduped` in the answer says that it was there before.

        `event_at` is when it happened, if not now. The memories in `supersedes` step behind this one. `hints` are
        questions that it answers; `entities` and `aspects` say what is known already of the things it names. A save
        with an `idempotency_key` is sent again when the connection breaks, and is still saved once.

        >>> signet.remember("The ferry leaves at seven.", tags=["harbour"])["type"]
        'fact'
        """

    @asks(wire.MEMORY)
    def get(self, memory_id: str, *, agent_id: str | None = None) -> wire.Memory:
        """Return one memory; raises NotFound, also when it is forgotten."""

    @asks(wire.HISTORY, pick=lambda found: found["history"])
    def history(
        self, memory_id: str, *, limit: int | None = None, agent_id: str | None = None
    ) -> list[wire.Change]:
        """Return what has happened to a memory, oldest first, also when it is forgotten; raises NotFound."""

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
        """Return what has happened to all memories, newest first; `cursor` is `next` of another page."""

    @asks(wire.MEMORY_USAGE)
    def memory_usage(
        self, memory_id: str, *, limit: int | None = None, agent_id: str | None = None
    ) -> MemoryUsage:
        """Return the sessions that a memory was given to or left out of, and whether they used it; raises NotFound."""

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
        """Return a page of memories, newest first, and counts over all under `stats` unless that is False.

        With `cursor` (`next` of another page) or `before` (an id) it begins there, whatever has come or gone meanwhile.
        `sort` is `created`, `updated`, `forgotten`, `event`, `importance` or `used`. `total` asks how many pass the
        filters, `facets` how often each `type`, `who`, `project`, `tag`, `source_type` or `state` occurs among them.
        """

    @asks(wire.MEMORY_IDS, pick=lambda found: found["ids"])
    def ids(self, prefix: str, *, agent_id: str | None = None) -> list[str]:
        """Return the ids that begin so, at most ten, those of forgotten memories too."""

    @asks(wire.MEMORY_TIMELINE)
    def memory_timeline(
        self, *, scope: str | None = None, agent_id: str | None = None
    ) -> wire.MemoryTimeline:
        """Return counts, types, authors and tags of today, of the last seven days and of the last thirty."""

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

        Raises NotFound, or Conflict with `current_version` and, when another memory says the same,
        `duplicate_memory_id`.
        """

    @asks(wire.MODIFY_MANY)
    def modify_many(
        self, patches: Sequence[Patch], *, reason: str | None = None, agent_id: str | None = None
    ) -> wire.ModifiedMany:
        """Change up to 200 memories, each by itself: a refused one does not stop the others."""

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
        """Forget a memory and what was read from it alone; both can be recovered for 30 days.

        A pinned one needs `force`; `wrong` says that it is not true. Raises NotFound or Conflict.
        """

    @asks(wire.FORGET, has_body=True, fixed={"erase": True})
    def erase(self, memory_id: str, *, reason: str, agent_id: str | None = None) -> wire.Modified:
        """Remove a memory for good, a pinned or forgotten one too, and soon its bytes from the database file.

        `heldBy` in the answer are documents and copies on disk that may still have it. Raises NotFound.
        """

    @asks(wire.FORGET_MANY, kind=wire.ForgetPreview, fixed={"mode": "preview"}, is_safe=True)
    def preview_forget(self, **chosen: Unpack[Choice]) -> wire.ForgetPreview:
        """Return what `forget_many` would take with the same words, and the token that confirms it; changes nothing."""

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
        """Forget up to 200 memories by their ids, by words or by filters; with `all` every one that there is.

        What was read from them alone goes with them. `force` removes them for good, pinned ones too; `wrong` says
        that they are not true. More than 25 need the `confirm_token` of a preview of the same memories.
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
        """Bring a forgotten memory back, within 30 days; raises NotFound or Conflict."""

    @asks(wire.ADOPT)
    def adopt(self, memory_id: str, *, agent_id: str | None = None) -> wire.Remembered:
        """Let an agent remember what one that was removed knew, as its own; raises NotFound or Conflict."""

    @asks(wire.RECOVER_MANY)
    def recover_many(
        self, ids: Sequence[str], *, reason: str, agent_id: str | None = None
    ) -> wire.RecoveredMany:
        """Bring up to 200 forgotten memories back, each by itself: a refused one does not stop the others."""

    @asks(wire.FORGOTTEN)
    def forgotten(
        self, *, limit: int = 100, offset: int = 0, agent_id: str | None = None
    ) -> wire.ForgottenValues:
        """Return a page of what was forgotten, newest first; none of it is saved again by itself."""

    @asks(wire.LIFT, has_body=False)
    def lift_forgotten(self, memory_id: str, *, agent_id: str | None = None) -> wire.Lifted:
        """Let a forgotten value be saved again; its memory stays forgotten. Raises NotFound."""

    @asks(wire.REVIEW_LIST)
    def reviews(
        self, *, limit: int = 100, offset: int = 0, agent_id: str | None = None
    ) -> wire.WaitingMemories:
        """Return a page of memories that a person is to approve or reject, newest first."""

    @asks(wire.APPROVE)
    def approve(self, memory_id: str, *, agent_id: str | None = None) -> wire.Modified:
        """Let a memory that waits be delivered unasked; raises NotFound, Conflict, and Forbidden for an agent."""

    @asks(links.JUDGE)
    def judge(
        self,
        memory_id: str,
        *,
        verdict: Literal["keep", "fade", "wrong", "none"],
        agent_id: str | None = None,
    ) -> wire.Modified:
        """Say what a memory is worth; raises NotFound, Conflict, and Forbidden for an agent.

        One that is to be kept is changed by no pipeline, one that may fade counts half, a wrong one is forgotten as not
        true. A verdict replaces the one before, and `none` takes it back.
        """

    @asks(links.LINKS)
    def memory_links(self, memory_id: str, *, agent_id: str | None = None) -> links.Links:
        """Return what a memory was read from, what was read from it, what it corrects and names; raises NotFound."""

    @asks(links.ACCESS)
    def memory_access(self, memory_id: str, *, agent_id: str | None = None) -> links.Access:
        """Return which agents may read a memory, and why or why not; raises NotFound."""

    @asks(wire.REJECT)
    def reject(self, memory_id: str, *, agent_id: str | None = None) -> wire.Modified:
        """Forget a memory that waits, as wrong; raises NotFound, Conflict, and Forbidden for an agent."""

    @asks(wire.RATE, names={"ratings": "feedback"})
    def rate(
        self, session_key: str, ratings: Mapping[str, float], *, agent_id: str | None = None
    ) -> wire.Rated:
        """Say how well memories served a session, -1 to 1 each by id; those it has not seen come back as `unknown`."""
