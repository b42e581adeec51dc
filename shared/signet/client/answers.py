"""What the daemon answers, as types. Each is the JSON object of the HTTP interface, and a plain `dict` at run time.

A newer daemon may send more fields than are named here. `NotRequired` fields are there only sometimes.
"""

from typing import Any, Literal, NotRequired, TypedDict

Embedded = list[float]


class Remembered(TypedDict):
    """A saved memory; `deduped` says that it was there before. A long text becomes several: `chunked`, `ids`."""

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
    superseded: NotRequired[list[str]]
    chunked: NotRequired[bool]
    chunk_count: NotRequired[int]
    ids: NotRequired[list[str]]
    group_id: NotRequired[str]


class Channel(TypedDict):
    """What one channel of recall said about a result: its score, and its rank when it found the result itself."""

    score: float
    rank: NotRequired[int]


class Stage(TypedDict):
    """What one stage of recall did to the score of a result."""

    stage: str
    before: float
    after: float


class Why(TypedDict):
    """Why a result is where it is."""

    channels: dict[str, Channel]
    stages: list[Stage]


class Hit(TypedDict):
    """One result of recall; `score` is between 0 and 1, a content that was cut says `truncated`.

    A `superseded` one was corrected by the memory `superseded_by`.
    """

    id: str
    content: str
    content_length: int
    truncated: bool
    score: float
    source: str
    type: str
    tags: str | None
    pinned: bool
    importance: float
    who: str | None
    project: str | None
    created_at: str
    source_type: str | None
    source_id: str | None
    accessCount: int
    lastAccessed: str | None
    valid_from: NotRequired[str]
    valid_to: NotRequired[str]
    superseded: NotRequired[bool]
    superseded_by: NotRequired[str]
    supplementary: NotRequired[bool]
    explain: NotRequired[Why]


class RecallStats(TypedDict):
    """How many results, and how long recall took in milliseconds."""

    total: int
    searchTime: float


class Recalled(TypedDict):
    """The answer to a question, best result first."""

    results: list[Hit]
    query: str
    method: str
    count: int
    stats: RecallStats
    entities: NotRequired[list[dict[str, Any]]]
    sources: NotRequired[dict[str, str]]
    time: NotRequired[dict[str, Any]]
    degraded: NotRequired[list[str]]


class MemorySummary(TypedDict):
    """One memory in a list."""

    id: str
    content: str
    created_at: str
    who: str | None
    importance: float
    tags: str | None
    source_type: str | None
    pinned: bool
    type: str


class Memory(TypedDict):
    """One whole memory."""

    id: str
    content: str
    type: str
    importance: float
    tags: str | None
    pinned: int
    who: str | None
    source_id: str | None
    source_type: str | None
    project: str | None
    session_id: str | None
    sessionId: str | None
    confidence: float | None
    access_count: int
    last_accessed: str | None
    is_deleted: int
    deleted_at: str | None
    extraction_status: str | None
    embedding_model: str | None
    version: int
    created_at: str
    updated_at: str
    updated_by: str | None
    agent_id: str
    visibility: str
    scope: str | None


class MemoryStats(TypedDict):
    """Counts over all memories."""

    total: int
    withEmbeddings: int
    critical: int


class MemoryPage(TypedDict):
    """A page of memories, newest first."""

    memories: list[MemorySummary]
    stats: MemoryStats


class Found(TypedDict):
    """One memory found by words, filters or nearness; `tags` is a list when found by nearness."""

    id: str
    content: str
    type: str
    created_at: str
    tags: str | list[str] | None
    score: NotRequired[float]
    confidence: NotRequired[float | None]
    who: NotRequired[str | None]
    importance: NotRequired[float]
    pinned: NotRequired[bool]


class Change(TypedDict):
    """One event in the history of a memory."""

    id: str
    event: str
    oldContent: str | None
    newContent: str | None
    changedBy: str
    actorType: str | None
    reason: str | None
    metadata: dict[str, Any] | str | None
    createdAt: str
    sessionId: str | None
    requestId: str | None


class Modified(TypedDict):
    """What became of one patch; a refused one of `modify_many` says why in `status` and `error`."""

    id: str | None
    status: str
    success: NotRequired[bool]
    currentVersion: NotRequired[int]
    newVersion: NotRequired[int]
    contentChanged: NotRequired[bool]
    embedded: NotRequired[bool]
    duplicateMemoryId: NotRequired[str]
    error: NotRequired[str]


class ModifiedMany(TypedDict):
    """What became of each patch, in the order they were sent."""

    total: int
    updated: int
    results: list[Modified]


class Forgotten(TypedDict):
    """What became of one memory that was to be forgotten."""

    id: str
    status: str
    success: NotRequired[bool]
    currentVersion: NotRequired[int]
    newVersion: NotRequired[int]


class Candidate(TypedDict):
    """A memory that a forget request would take."""

    id: str
    score: float
    pinned: bool
    version: int


class ForgetPreview(TypedDict):
    """What a forget request would take; `confirmToken` confirms exactly these."""

    mode: Literal["preview"]
    count: int
    requiresConfirm: bool
    confirmToken: str
    candidates: list[Candidate]


class ForgottenMany(TypedDict):
    """What a forget request did."""

    mode: Literal["execute"]
    requested: int
    deleted: int
    results: list[Forgotten]


class Recovered(TypedDict):
    """A forgotten memory that is back."""

    id: str
    status: str
    success: NotRequired[bool]
    currentVersion: int
    newVersion: int
    retentionDays: int


class Embedding(TypedDict):
    """One memory with its vector, which is left out unless asked for."""

    id: str
    content: str
    text: str
    who: str
    importance: float
    type: str | None
    tags: list[str]
    sourceType: str
    sourceId: str
    createdAt: str
    vector: NotRequired[Embedded]


class EmbeddingPage(TypedDict):
    """A page of memories that have a vector, newest first."""

    embeddings: list[Embedding]
    count: int
    total: int
    limit: int
    offset: int
    hasMore: bool


class EmbeddingsStatus(TypedDict):
    """Whether vectors can be made, and how far the tracker is."""

    provider: str
    model: str | None
    available: bool
    dimensions: NotRequired[int | None]
    base_url: NotRequired[str | None]
    error: NotRequired[str | None]
    checkedAt: str
    tracker: dict[str, Any] | None


class Check(TypedDict):
    """One check of a health report."""

    name: str
    status: Literal["ok", "warn", "fail"]
    message: str
    detail: NotRequired[Any]
    fix: NotRequired[str]


class EmbeddingsHealth(TypedDict):
    """How good the stored vectors are; `score` is between 0 and 1."""

    status: str
    score: float
    checkedAt: str
    config: dict[str, Any]
    checks: list[Check]


class Node(TypedDict):
    """One memory as a point."""

    id: str
    x: float
    y: float
    z: NotRequired[float]
    content: str
    who: str
    importance: float
    type: str | None
    tags: list[str]
    pinned: bool
    sourceType: str
    sourceId: str
    createdAt: str


class Projection(TypedDict):
    """Memories as points in two or three dimensions; while `status` is `computing` there are none yet."""

    status: str
    dimensions: int
    count: int
    total: int
    limit: NotRequired[int]
    offset: NotRequired[int]
    hasMore: NotRequired[bool]
    nodes: NotRequired[list[Node]]
    edges: NotRequired[list[list[int]]]
    cachedAt: NotRequired[str | None]
    sampled: NotRequired[bool]


class AddedDocument(TypedDict):
    """A document that was handed over; a known one is `deduplicated` and has no new job."""

    id: str
    status: str
    jobId: NotRequired[str]
    deduplicated: NotRequired[bool]


class Document(TypedDict):
    """One document and how far its reading is."""

    id: str
    source_type: str
    source_url: str | None
    content_type: str | None
    title: str | None
    raw_content: str | None
    status: str
    error: str | None
    chunk_count: int
    memory_count: int
    metadata: dict[str, Any] | None
    created_at: str
    updated_at: str
    completed_at: str | None


class DocumentPage(TypedDict):
    """A page of documents, newest first."""

    documents: list[Document]
    total: int
    limit: int
    offset: int


class Chunk(TypedDict):
    """One memory made from a document."""

    id: str
    content: str
    type: str
    created_at: str
    chunk_index: int


class DeletedDocument(TypedDict):
    """A deleted document and how many memories went with it."""

    success: bool
    deleted: bool
    memoriesRemoved: int


class Skill(TypedDict):
    """What an installed skill says of itself; `path` is its folder."""

    name: str
    description: str
    version: str | None
    author: str | None
    maintainer: str | None
    license: str | None
    homepage: str | None
    user_invocable: bool
    arg_hint: str | None
    verified: bool
    builtin: bool
    role: str
    permissions: list[str]
    triggers: list[str]
    tags: list[str]
    dependencies: dict[str, list[str]]
    path: str


class SkillFile(Skill):
    """A skill with the whole of its file."""

    content: str


class CatalogSkill(TypedDict):
    """A skill that can be installed, or is."""

    name: str
    fullName: str
    description: str
    installs: str
    stars: int
    popularity: int
    category: str
    verified: bool
    installed: bool


class RelatedSkill(TypedDict):
    """A skill that has to do with another; `direction` is `out` when the other one points to it."""

    name: str
    description: str
    relation: str
    direction: str
    strength: float
    reason: str
    useCount: int


class InstalledSkill(TypedDict):
    """A skill that is installed now."""

    success: bool
    name: str
    output: str


class RemovedSkill(TypedDict):
    """A skill that is gone."""

    success: bool
    name: str
    message: str


class Job(TypedDict):
    """One piece of work in the background."""

    id: str
    memory_id: str | None
    document_id: str | None
    job_type: str
    queue: str
    status: str
    attempt_count: int
    attempts: int
    max_attempts: int
    next_attempt_at: str | None
    last_error: str | None
    last_error_code: str | None
    error: str | None
    result: Any
    leased_at: str | None
    completed_at: str | None
    failed_at: str | None
    created_at: str
    updated_at: str


class WholeJob(Job):
    """Everything about one job; `errors` are its last five."""

    priority: int
    agent_id: str | None
    parent_id: str | None
    payload: Any
    errors: list[dict[str, Any]]
    runs_total: int
    crashes: int
    lease_owner: str | None
    lease_token: int
    cancel_requested: bool
    due_at: str


class ChangedJob(TypedDict):
    """A job that was retried or cancelled, and its state now."""

    success: bool
    id: str
    status: str
    cancelRequested: NotRequired[bool]


class ChangedJobs(TypedDict):
    """The jobs that were, or would be, retried or cancelled."""

    success: bool
    affected: int
    ids: list[str]
    dryRun: bool


class JobEvent(TypedDict):
    """What happened to a job: `event` is enqueued, started, completed, retried, dead or cancelled."""

    event: str
    id: str
    job_type: str
    queue: str
    status: str
    memory_id: str | None
    document_id: str | None
    attempts: int
    max_attempts: int
    error: str | None
    last_error_code: str | None
    next_attempt_at: str | None
    at: str


class PipelineStatus(TypedDict):
    """What runs, what waits and what died; `queues.memory.byType` has counts, rate and time left of each kind."""

    mode: str
    paused: bool
    workers: dict[str, dict[str, Any]]
    queues: dict[str, dict[str, Any]]
    queue: int
    processing: int
    deadLetter: int
    providers: dict[str, list[dict[str, Any]]]
    errorSummary: dict[str, int]
    traversal: dict[str, Any]
    diagnostics: dict[str, Any] | None
    latency: dict[str, Any] | None
    feedback: dict[str, Any]
    predictor: dict[str, Any]


class Paused(TypedDict):
    """Whether the queue is paused now."""

    success: bool
    paused: bool


class ExportPage(TypedDict):
    """Some records, and the cursor of those behind them; None behind the last."""

    records: list[dict[str, Any]]
    next: str | None


class Imported(TypedDict):
    """What became of the records of one request."""

    new: int
    known: int
    refused: int
    kinds: dict[str, dict[str, int]]
    reasons: list[dict[str, Any]]


class Health(TypedDict):
    """That the daemon answers; `db` is false when its database does not."""

    status: str
    uptime: float
    pid: int
    version: str
    port: int
    agentsDir: str
    db: bool
    reasons: list[str]


class Ready(TypedDict):
    """Whether database, schema, worker and scheduler are there, and what is missing."""

    status: str
    reasons: list[str]
    error: NotRequired[str]
    checks: NotRequired[dict[str, Any]]


class Status(TypedDict):
    """Version, processes, queue, providers and settings in force."""

    status: str
    version: str
    pid: int
    uptime: float
    startedAt: str
    port: int
    host: str
    bindHost: str
    agentsDir: str
    memoryDb: bool
    pipelineV2: dict[str, Any]
    health: dict[str, Any]
    reasons: list[str]
    activeSessions: int
    configError: str | None
    configWarnings: list[str]
    restartRequired: list[str]
    processes: list[dict[str, Any]]
    queue: dict[str, Any]
    oldestDueSeconds: float | None
    waitingForProvider: dict[str, str]
    embedding: dict[str, Any]
    sqlite: dict[str, Any]
