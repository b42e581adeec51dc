"""Memories: save, read, change, forget, recover, and say how well they served."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

from signet.wire import access
from signet.wire.injections import MemoryUsage
from signet.wire.operation import Operation


class Remembered(TypedDict):
    """A saved memory; `deduped` says that it was there before. A long text becomes several: `chunked`, `ids`.

    `lifted` names forgotten memories that said the same: their value is forgotten no longer.
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
    entities_linked: int
    hints_written: int
    #: Whose words it is; `origin_claimed` what was claimed without the right to it; `review` that a person looks at it
    #: before it is read out unasked.
    origin: str
    origin_claimed: NotRequired[str]
    review: NotRequired[str]
    superseded: NotRequired[list[str]]
    not_superseded: NotRequired[list[str]]
    masked: NotRequired[list[str]]
    lifted: NotRequired[list[str]]
    chunked: NotRequired[bool]
    chunk_count: NotRequired[int]
    ids: NotRequired[list[str]]
    group_id: NotRequired[str | None]


class Forgetting(TypedDict):
    """Who forgot a memory, and why; `until` is the last instant at which it can be recovered."""

    by: str
    reason: str | None
    until: str | None


class StoredMemory(TypedDict):
    """What a list and a look at one memory say alike.

    `event_at` is when it happened, `valid_from` and `valid_to` say from when and until when it is true. `origin` says
    whose words it is, `review` that a person looks at it before it is read out unasked.
    """

    id: str
    content: str
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


class Memory(StoredMemory):
    """One whole memory."""

    pinned: int
    sessionId: str | None
    confidence: float | None
    is_deleted: int
    extraction_status: str | None
    embedding_model: str | None
    updated_by: str | None


class MemoryStats(TypedDict):
    """Counts over all memories."""

    total: int
    withEmbeddings: int
    critical: int


class KeyCount(TypedDict):
    """A name and how often it occurs."""

    key: str
    count: int


class MemoryPage(TypedDict):
    """A page of memories; `next` is the cursor of the one behind it, null on the last.

    `stats` counts all memories, `total` and `facets` those that pass the filters; each facet leaves its own filter out.
    """

    memories: list[MemorySummary]
    next: str | None
    stats: NotRequired[MemoryStats]
    total: NotRequired[int]
    facets: NotRequired[dict[str, list[KeyCount]]]


class MemoryEra(TypedDict):
    """What was remembered from `start` to `end`, and what happened to memories meanwhile."""

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
    """Today, the last week and the last month; each holds those before it."""

    generatedAt: str
    generatedFor: str
    rangePreset: str
    totalMemories: int
    totalHistoryEvents: int
    invalidMemoryTimestamps: int
    invalidHistoryTimestamps: int
    buckets: list[MemoryEra]


class Change(TypedDict):
    """One event in the history of a memory."""

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
    """What has happened to a memory, oldest first."""

    memoryId: str
    count: int
    history: list[Change]


class ListedChange(Change):
    """One event in the history of all memories; `content` is what its memory says now, null where it is no more."""

    memoryId: str
    content: str | None


class HistoryPage(TypedDict):
    """What has happened to memories, newest first; `next` is the cursor of the page behind, null on the last."""

    history: list[ListedChange]
    count: int
    next: str | None


class Ids(TypedDict):
    """Ids that begin as asked, at most ten."""

    ids: list[str]


class Followed(TypedDict):
    """A memory that was read from another one, with the beginning of its text."""

    id: str
    content: str


class Stayed(Followed):
    """One that stays although a source of it goes: it is `pinned`, a `person` stands for it, or an `other_source`."""

    why: str


class Along(TypedDict):
    """What was read from memories that go, or come back, and so follows them; the first of `alongCount`.

    `staying` is what was read from them and stays. `heldBy` names what may still hold their words: documents that say
    the same (`document:ID`, with title or address), and copies on disk of what was erased.
    """

    alongCount: NotRequired[int]
    along: NotRequired[list[Followed]]
    staying: NotRequired[list[Stayed]]
    heldBy: NotRequired[list[str]]


class Modified(Along):
    """What became of one memory; a refused one among several says why in `status` and `error`.

    `masked` names the kinds of secrets that were replaced in a new text. `id` is null where a patch names none.
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


#: What became of one memory that was to be forgotten has the same form.
Forgotten = Modified


class ModifiedMany(TypedDict):
    """What became of each patch, in the order they were sent."""

    success: bool
    total: int
    updated: int
    results: list[Modified]


class Candidate(TypedDict):
    """A memory that a forget request would take; `why` is the reason."""

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


class ForgetPreview(Along):
    """What a forget request would take; `confirmToken` confirms exactly these. `total` is how many match.

    `similar` is not taken: it spells an identifier in another way, or lacks a word.
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
    """What a forget request did."""

    success: bool
    mode: Literal["execute"]
    requested: int
    deleted: int
    count: int
    #: How many matched before.
    total: int
    pinned: int
    results: list[Modified]
    #: Only where many were forgotten: the copy that was made before, or why there is none.
    backup: NotRequired[str | None]
    backupSkipped: NotRequired[str]


class Recovered(Modified):
    """A forgotten memory that is back."""

    retentionDays: int


class RecoveredMany(TypedDict):
    """What became of each memory that was to be recovered, in the order of the ids."""

    success: bool
    requested: int
    recovered: int
    results: list[Modified]


class ForgottenValue(TypedDict):
    """What was forgotten, rejected or erased (`why`), and is not written again by itself.

    `id` is that of its memory. `label` is the beginning of the text, null for an erased one and for callers
    who may not recover; `recoverableUntil` is null where the memory itself is gone.
    """

    id: str
    agentId: str
    scope: str | None
    why: str
    label: str | None
    since: str
    recoverableUntil: str | None


class ForgottenValues(TypedDict):
    """A page of forgotten values, newest first; `total` counts all."""

    values: list[ForgottenValue]
    total: int


class Lifted(TypedDict):
    """A value that may be written again; the memory of this id stays as it is."""

    success: bool
    id: str


class WaitingMemory(TypedDict):
    """A memory that waits for a person.

    `review` is `waiting` for one that is not delivered unasked, and `replaces` for one that would replace the memories
    in `replaces` and may not by itself, because their words are of a better origin.
    """

    id: str
    content: str
    origin: str
    who: str | None
    source_type: str | None
    created_at: str
    project: str | None
    agent_id: str
    review: str
    replaces: NotRequired[list[str]]


class WaitingMemories(TypedDict):
    """A page of memories that wait, newest first; `total` counts all."""

    memories: list[WaitingMemory]
    total: int


class Rated(TypedDict):
    """Ratings that were taken, and ids that the session has not seen; `propagated` counts what moved by them.

    What is said of one memory is answered with `recorded` alone.
    """

    ok: bool
    recorded: int
    unknown: NotRequired[list[str]]
    accepted: NotRequired[int]
    rejected: NotRequired[int]
    propagated: NotRequired[int]


REMEMBER = Operation("POST", "/api/memory/remember", access.REMEMBER, Remembered)
SAVE = Operation("POST", "/api/memory/save", access.REMEMBER, Remembered)
HOOK_SAVE = Operation("POST", "/api/hook/remember", access.REMEMBER, Remembered)
MEMORIES = Operation("GET", "/api/memories", access.RECALL, MemoryPage)
MEMORY_IDS = Operation("GET", "/api/memories/ids", access.RECALL, Ids)
MEMORY_TIMELINE = Operation("GET", "/api/memory/timeline", access.RECALL, MemoryTimeline)
MEMORY = Operation("GET", "/api/memory/{memory_id}", access.RECALL, Memory)
FORGOTTEN = Operation("GET", "/api/memory/forgotten", access.RECALL, ForgottenValues)
HISTORY = Operation("GET", "/api/memory/{memory_id}/history", access.RECALL, History)
ALL_HISTORY = Operation("GET", "/api/history", access.RECALL, HistoryPage)
MEMORY_USAGE = Operation("GET", "/api/memory/{memory_id}/usage", access.RECALL, MemoryUsage)
MODIFY = Operation("PATCH", "/api/memory/{memory_id}", access.MODIFY, Modified)
MODIFY_MANY = Operation("POST", "/api/memory/modify", access.MODIFY, ModifiedMany)
FORGET = Operation("DELETE", "/api/memory/{memory_id}", access.FORGET, Modified)
FORGET_MANY: Operation[ForgetPreview | ForgottenMany] = Operation(
    "POST", "/api/memory/forget", access.FORGET_MANY, (ForgetPreview, ForgottenMany)
)
RECOVER = Operation("POST", "/api/memory/{memory_id}/recover", access.RECOVER, Recovered)
RECOVER_MANY = Operation("POST", "/api/memory/recover", access.RECOVER, RecoveredMany)
ADOPT = Operation("POST", "/api/memory/{memory_id}/adopt", access.OPERATOR, Remembered)
LIFT = Operation("POST", "/api/memory/forgotten/{memory_id}/lift", access.RECOVER, Lifted)
REVIEW_LIST = Operation("GET", "/api/memory/reviews", access.RECALL, WaitingMemories)
APPROVE = Operation("POST", "/api/memory/reviews/{memory_id}/approve", access.REVIEW, Modified)
REJECT = Operation("POST", "/api/memory/reviews/{memory_id}/reject", access.REVIEW, Modified)
RATE = Operation("POST", "/api/memory/feedback", access.REMEMBER, Rated)
