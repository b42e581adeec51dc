"""Memories: save, read, change, forget, recover and rate."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

from signet.wire import access
from signet.wire.injections import MemoryUsage
from signet.wire.operation import Operation, delete, get, patch, post


class Predecessor(TypedDict):
    """A memory that a saved one seems to replace."""

    id: str
    content: str


class SavedMemory(TypedDict):
    """A saved memory; `deduped`: it already existed. A long text becomes several: `chunked`, `ids`.

    `lifted` names forgotten memories with the same value, which is no longer forgotten. To link the memories in
    `may_replace`, save the same text again with `supersedes`.
    """

    success: bool
    id: str
    memoryId: str
    type: str
    tags: str | None
    pinned: bool
    importance: float
    content: str
    embedded: bool
    deduped: bool
    #: A memory that was there before has this text now: only case or blanks differ.
    rewritten: NotRequired[bool]
    entities_linked: int
    hints_written: int
    #: Origin of the text; `origin_claimed` is a claim without permission; `review`: needs approval before it is
    #: injected unasked.
    origin: str
    origin_claimed: NotRequired[str]
    review: NotRequired[str]
    superseded: NotRequired[list[str]]
    not_superseded: NotRequired[list[str]]
    may_replace: NotRequired[list[Predecessor]]
    masked: NotRequired[list[str]]
    lifted: NotRequired[list[str]]
    chunked: NotRequired[bool]
    chunk_count: NotRequired[int]
    ids: NotRequired[list[str]]
    group_id: NotRequired[str | None]


class Forgetting(TypedDict):
    """Who forgot a memory, and why; `until` is the last instant for recovery."""

    by: str
    reason: str | None
    until: str | None


class StoredMemory(TypedDict):
    """Common fields of a list and a single memory.

    `event_at` is when it happened, `valid_from` and `valid_to` limit when it is true. `origin` is the source of the
    text; `review`: needs approval before it is injected unasked. `says` is type and source in words.
    """

    id: str
    content: str
    says: str
    created_at: str
    who: str | None
    importance: float
    tags: str | None
    source_type: str | None
    type: str
    updated_at: str
    project: str | None
    agent_id: str
    visibility: str
    scope: str | None
    session_id: str | None
    source_id: str | None
    event_at: str | None
    valid_from: str | None
    valid_to: str | None
    superseded_by: str | None
    access_count: int
    last_accessed: str | None
    version: int
    deleted_at: str | None
    origin: str
    review: str | None


class MemorySummary(StoredMemory):
    """One memory in a list; `forgotten` only in a list of forgotten ones."""

    pinned: bool
    has_vector: bool
    forgotten: NotRequired[Forgetting]


class WholeMemory(StoredMemory):
    pinned: int
    sessionId: str | None
    source_path: str | None
    confidence: float | None
    is_deleted: int
    extraction_status: str | None
    embedding_model: str | None
    updated_by: str | None


class MemoryStats(TypedDict):
    total: int
    withEmbeddings: int
    critical: int


class KeyCount(TypedDict):
    """A value with the number of its rows; `says` names a type or author."""

    key: str
    count: int
    says: NotRequired[str]


class MemoryPage(TypedDict):
    """A page of memories; `next` is the cursor of the next one, null on the last.

    `stats` counts all memories, `total` and `facets` the matches; each facet ignores its own filter.
    """

    memories: list[MemorySummary]
    next: str | None
    stats: NotRequired[MemoryStats]
    total: NotRequired[int]
    facets: NotRequired[dict[str, list[KeyCount]]]


class MemoryEra(TypedDict):
    """New memories from `start` to `end`, and changes in that time."""

    eraIndex: int
    rangeKey: str
    label: str
    start: str
    end: str
    memoriesAdded: int
    trackedEvents: int
    evolved: int
    strengthened: int
    recovered: int
    avgImportance: float
    pinned: int
    typeBreakdown: list[KeyCount]
    sourceBreakdown: list[KeyCount]
    topTags: list[KeyCount]


class MemoryTimeline(TypedDict):
    """Today, the last week and the last month; each includes the previous ones."""

    generatedAt: str
    generatedFor: str
    rangePreset: str
    totalMemories: int
    totalHistoryEvents: int
    invalidMemoryTimestamps: int
    invalidHistoryTimestamps: int
    buckets: list[MemoryEra]


class MemoryChange(TypedDict):
    """One change; `by` and `why` are `changedBy` and `reason` in words."""

    by: NotRequired[str]
    why: NotRequired[str | None]
    id: str
    event: str
    oldContent: str | None
    newContent: str | None
    changedBy: str
    actorType: str | None
    reason: str | None
    metadata: Mapping[str, Any] | str | None
    createdAt: str
    sessionId: str | None
    requestId: str | None


class History(TypedDict):
    memoryId: str
    count: int
    history: list[MemoryChange]


class ListedChange(MemoryChange):
    """One event in the history of all memories; `content` is the memory's current text, null if it is deleted."""

    memoryId: str
    content: str | None


class HistoryPage(TypedDict):
    """The history of all memories, newest first; `next` is the cursor of the next page, null on the last."""

    history: list[ListedChange]
    count: int
    next: str | None


class Ids(TypedDict):
    """IDs with the requested prefix, at most ten."""

    ids: list[str]


class Followed(TypedDict):
    """A derived memory, with the start of its text."""

    id: str
    content: str


class Stayed(Followed):
    """A derived memory that remains: it is `pinned`, kept by a `person`, or has an `other_source`."""

    why: str


class Derived(TypedDict):
    """Derived memories that are forgotten or recovered too; the first of `alongCount`.

    `staying` are derived memories that remain. `heldBy` lists what may still contain the text: documents
    (`document:ID`, with title or address), and copies on disk of an erased text.
    """

    alongCount: NotRequired[int]
    along: NotRequired[list[Followed]]
    staying: NotRequired[list[Stayed]]
    heldBy: NotRequired[list[str]]


class Modified(Derived):
    """The result for one memory; for a refused one among several, `status` and `error` give the reason.

    `masked` names kinds of masked secrets in a new text. `id` is null if the patch has none.
    """

    success: bool
    id: str | None
    status: str
    currentVersion: NotRequired[int]
    newVersion: NotRequired[int]
    contentChanged: NotRequired[bool]
    embedded: NotRequired[bool]
    masked: NotRequired[list[str]]
    lifted: NotRequired[list[str]]
    duplicateMemoryId: NotRequired[str]
    error: NotRequired[str]


#: The result for one memory to forget has the same form.
Forgotten = Modified


class ModifiedMany(TypedDict):
    success: bool
    total: int
    updated: int
    results: list[Modified]


class Candidate(TypedDict):
    id: str
    score: float
    pinned: bool
    version: int
    content: str
    type: str
    who: str | None
    tags: str | None
    created_at: str
    why: str


class ForgetPreview(Derived):
    """The memories selected by a forget request; `confirmToken` confirms exactly these. `total` counts the matches.

    `similar` memories are not selected: they spell an identifier differently, or lack a word.
    """

    success: bool
    mode: Literal["preview"]
    count: int
    total: int
    requiresConfirm: bool
    confirmToken: str
    candidates: list[Candidate]
    similar: list[Candidate]


class ForgottenMany(TypedDict):
    success: bool
    mode: Literal["execute"]
    requested: int
    deleted: int
    count: int
    #: The number of matches before.
    total: int
    pinned: int
    results: list[Modified]
    #: For bulk requests: the copy made before, or why it failed.
    backup: NotRequired[str | None]
    backupSkipped: NotRequired[str]


class Recovered(Modified):
    retentionDays: int


class RecoveredMany(TypedDict):
    """The result for each memory to recover, in the order of the IDs."""

    success: bool
    requested: int
    recovered: int
    results: list[Modified]


class ForgottenValue(TypedDict):
    """A forgotten, rejected or erased value (`why`), which is not saved again automatically.

    `id` is its memory's. `label` is the start of the text, null for an erased one and for callers who may not
    recover; `recoverableUntil` is null if the memory itself is deleted.
    """

    id: str
    agentId: str
    scope: str | None
    why: str
    label: str | None
    since: str
    recoverableUntil: str | None


class ForgottenValues(TypedDict):
    """A page of forgotten values, newest first; `next` is the cursor of the next one, `total` counts all."""

    values: list[ForgottenValue]
    next: str | None
    total: int


class Lifted(TypedDict):
    success: bool
    id: str


class WaitingMemory(TypedDict):
    """A memory that waits for approval.

    `review` is `waiting` if it is not injected unasked, and `replaces` if it would replace the memories in
    `replaces`, whose origin is higher.
    """

    id: str
    content: str
    #: Type and source in words.
    says: str
    origin: str
    who: str | None
    source_type: str | None
    created_at: str
    project: str | None
    agent_id: str
    review: str
    replaces: NotRequired[list[str]]


class WaitingMemories(TypedDict):
    """A page of waiting memories, newest first; `next` is the cursor of the next one, `total` counts all."""

    memories: list[WaitingMemory]
    next: str | None
    total: int


class Rated(TypedDict):
    """Accepted ratings, and IDs that the session did not receive; `propagated` counts the resulting changes.

    The answer to a rating of one memory has only `recorded`.
    """

    ok: bool
    recorded: int
    unknown: NotRequired[list[str]]
    accepted: NotRequired[int]
    rejected: NotRequired[int]
    propagated: NotRequired[int]


REMEMBER = post("/api/memory/remember", access.REMEMBER, SavedMemory)
SAVE = post("/api/memory/save", access.REMEMBER, SavedMemory)
HOOK_SAVE = post("/api/hook/remember", access.REMEMBER, SavedMemory)
MEMORIES = get("/api/memories", access.RECALL, MemoryPage)
MEMORY_IDS = get("/api/memories/ids", access.RECALL, Ids)
MEMORY_TIMELINE = get("/api/memory/timeline", access.RECALL, MemoryTimeline)
MEMORY = get("/api/memory/{memory_id}", access.RECALL, WholeMemory)
FORGOTTEN = get("/api/memory/forgotten", access.RECALL, ForgottenValues)
HISTORY = get("/api/memory/{memory_id}/history", access.RECALL, History)
ALL_HISTORY = get("/api/history", access.RECALL, HistoryPage)
MEMORY_USAGE = get("/api/memory/{memory_id}/usage", access.RECALL, MemoryUsage)
MODIFY = patch("/api/memory/{memory_id}", access.MODIFY, Modified)
MODIFY_MANY = post("/api/memory/modify", access.MODIFY, ModifiedMany)
FORGET = delete("/api/memory/{memory_id}", access.FORGET, Modified)
FORGET_MANY: Operation[ForgetPreview | ForgottenMany] = post(
    "/api/memory/forget", access.FORGET_MANY, (ForgetPreview, ForgottenMany)
)
RECOVER = post("/api/memory/{memory_id}/recover", access.RECOVER, Recovered)
RECOVER_MANY = post("/api/memory/recover", access.RECOVER, RecoveredMany)
ADOPT = post("/api/memory/{memory_id}/adopt", access.OPERATOR, SavedMemory)
LIFT = post("/api/memory/forgotten/{memory_id}/lift", access.RECOVER, Lifted)
REVIEW_LIST = get("/api/memory/reviews", access.RECALL, WaitingMemories)
APPROVE = post("/api/memory/reviews/{memory_id}/approve", access.REVIEW, Modified)
REJECT = post("/api/memory/reviews/{memory_id}/reject", access.REVIEW, Modified)
RATE = post("/api/memory/feedback", access.REMEMBER, Rated)
