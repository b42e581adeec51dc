"""Signatures of `calls.py`. Written by `PYTHONPATH=tests python -m client.stub`; not to be edited."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from signet.client.call import Call
from signet.client.method import method
from signet.wire.agents import CountedAgent, NamedAgent, RemovedAgent, WholeAgent
from signet.wire.analytics import Errors, Series, Timeline, Usage
from signet.wire.audit import AuditPage
from signet.wire.auth import IssuedToken, RevokedToken, Token, WhoAmI
from signet.wire.backfill import Backfill, StartedBackfill, StoppedBackfill
from signet.wire.config import AgentIdentity, ConfigFile
from signet.wire.connectors import (
    AddedConnector,
    Connector,
    ConnectorHealth,
    RemovedConnector,
    Resynced,
)
from signet.wire.diagnostics import CheckResult, Diagnoses, Diagnosis
from signet.wire.documents import (
    AddedDocument,
    Document,
    DocumentChunk,
    DocumentPage,
    ForgottenDocument,
)
from signet.wire.done import Done
from signet.wire.embeddings import (
    EmbeddingPage,
    EmbeddingsHealth,
    EmbeddingsStatus,
    Projection,
    ProjectionColumns,
)
from signet.wire.evaluation import Evaluation, PastSessions, Replay
from signet.wire.git import ChangedGitSettings, GitDone, GitSettings, GitStatus
from signet.wire.harnesses import KnownHarness, Regenerated
from signet.wire.hooks import (
    Compacted,
    EndedSession,
    EndedTurn,
    OfflineContexts,
    Precompaction,
    Prompted,
    StartedSession,
)
from signet.wire.injections import MemoryUsage, SessionContext, SessionReplay
from signet.wire.jobs import ChangedJob, ChangedJobs, DeletedJob, Job, Jobs, WholeJob
from signet.wire.knowledge import EntityPage, Expanded, Impact, KnowledgeStats, Pinned, WholeEntity
from signet.wire.memory import (
    ForgetPreview,
    ForgottenMany,
    ForgottenValues,
    HistoryPage,
    Lifted,
    MemoryChange,
    MemoryPage,
    MemoryTimeline,
    Modified,
    ModifiedMany,
    Rated,
    Recovered,
    RecoveredMany,
    SavedMemory,
    WaitingMemories,
    WholeMemory,
)
from signet.wire.memory_links import Access, Links
from signet.wire.pipeline import Models, Paused, PipelineStatus, RefreshedModels
from signet.wire.predictor import (
    ComparisonPage,
    EntityResults,
    PairCount,
    PredictorOff,
    PredictorStatus,
    ProjectResults,
    RolledBack,
    Trained,
    Trainings,
)
from signet.wire.projects import ListedProject
from signet.wire.recall import ContextAnswer, EpisodePage, FoundMemory, Recalled
from signet.wire.secrets import KeptSecret, Ran
from signet.wire.sessions import (
    Bypassed,
    RenewedSession,
    RunningSession,
    SessionCheckpoint,
    SessionForgotten,
    SessionPage,
    SessionPreview,
    SessionTranscript,
    SummaryPage,
    TranscriptExcerpt,
)
from signet.wire.skills import CatalogSkill, InstalledSkill, RemovedSkill, Skill, WholeSkill
from signet.wire.spaces import Share, Shares, Space
from signet.wire.status import FullStatus, Health, Ready, Resources, Status
from signet.wire.synthesis import TriggeredSynthesis, UndoneSynthesis
from signet.wire.tasks import AddedTask, StartedRun, TaskPage, WholeTask
from signet.wire.telemetry import TelemetryPage, TelemetryStats
from signet.wire.transfer import ExportPage, Imported
from signet.wire.update import ChangedUpdateSettings, Installed, UpdateCheck, UpdateSettings

class Patch(TypedDict, total=False):
    reason: str
    if_version: int | None
    content: str | None
    type: str | None
    tags: str | Sequence[str] | None
    importance: float | None
    pinned: bool | None
    who: str | None
    project: str | None
    id: str

class Choice(TypedDict, total=False):
    agent_id: str | None
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
    undo: bool

class MemoryFilter(TypedDict, total=False):
    q: str | None
    ids: Sequence[str] | None
    type: str | None
    who: str | None
    project: str | None
    tags: str | Sequence[str] | None
    source_type: str | None
    source_id: str | None
    origin: str | None
    space: str | None
    not_origin: str | None
    scope: str | None
    pinned: bool | None
    importance_min: float | None
    since: str | None
    until: str | None
    event_since: str | None
    event_until: str | None
    state: Literal["active", "superseded", "forgotten", "archived"] | None
    as_of: str | float | None
    unreviewed: bool

class Calls:
    """All requests of both clients."""

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
        source_type: str | None = None,
        source_id: str | None = None,
        ordinal: int | None = None,
        created_at: str | float | None = None,
        event_at: str | float | None = None,
        agent_id: str | None = None,
        session_key: str | None = None,
        scope: str | None = None,
        hints: Sequence[str] | None = None,
        entities: Sequence[str | Mapping[str, Any]] | None = None,
        aspects: Sequence[Mapping[str, Any]] | None = None,
        transcript: str | None = None,
        harness: str | None = None,
        idempotency_key: str | None = None,
        supersedes: str | Sequence[str] | None = None,
        private: bool = False,
    ) -> Call[SavedMemory]:
        """Save a text and queue its processing; `deduped` means that it already existed.

        `event_at` is when it happened, if not now. The new memory supersedes those in `supersedes`. `hints` are
        questions that it answers; `entities` and `aspects` describe entities in the text. A save with an
        `idempotency_key` can be repeated and is saved once.
        """

    @method
    def get(self, memory_id: str, *, agent_id: str | None = None) -> Call[WholeMemory]:
        """Return one memory; 404 for a forgotten one, and for a session or commit named by recall."""

    @method
    def history(
        self, memory_id: str, *, limit: int | None = 200, agent_id: str | None = None
    ) -> Call[list[MemoryChange]]:
        """Return a memory's history, oldest first; texts of a forgotten one only to callers who may recover it."""

    @method
    def all_history(
        self,
        *,
        limit: int | None = 100,
        cursor: str | None = None,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
    ) -> Call[HistoryPage]:
        """Return the history of all memories, newest first; `cursor` is `next` of the previous page.

        Texts of deleted memories are included only for callers who may recover them. Proposals without effect are
        omitted.
        """

    @method
    def memory_usage(
        self, memory_id: str, *, limit: int | None = 50, agent_id: str | None = None
    ) -> Call[MemoryUsage]:
        """Return the sessions that received or omitted a memory, the reasons, and whether they used it."""

    @method
    def memories(
        self,
        *,
        limit: int | None = 100,
        offset: int | None = None,
        cursor: str | None = None,
        before: str | None = None,
        sort: Literal["created", "updated", "forgotten", "event", "importance", "used"]
        | None = None,
        order: Literal["asc", "desc"] | None = "desc",
        q: str | None = None,
        ids: Sequence[str] | None = None,
        type: str | None = None,
        who: str | None = None,
        project: str | None = None,
        tags: str | Sequence[str] | None = None,
        source_type: str | None = None,
        source_id: str | None = None,
        origin: str | None = None,
        space: str | None = None,
        not_origin: str | None = None,
        scope: str | None = None,
        pinned: bool | None = None,
        importance_min: float | None = None,
        since: str | None = None,
        until: str | None = None,
        event_since: str | None = None,
        event_until: str | None = None,
        state: Literal["active", "superseded", "forgotten", "archived"] | None = None,
        as_of: str | float | None = None,
        unreviewed: bool = False,
        stats: bool | None = True,
        total: bool = False,
        facets: Sequence[str] | None = None,
        agent_id: str | None = None,
    ) -> Call[MemoryPage]:
        """Return a page of memories, newest first, with counts of all memories unless `stats` is false.

        `cursor` (`next` of another page) or `before` (an ID) continues there, whatever has been added or deleted
        meanwhile. `sort` is `created`, `updated`, `forgotten`, `event`, `importance` or `used`. `total` adds the number
        of matches, `facets` their counts by `type`, `who`, `project`, `tag`, `source_type` or `state`. Forgotten
        memories require the permission to recover, archived ones an operator.
        """

    @method
    def ids(self, prefix: str, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return up to ten IDs with this prefix, including forgotten memories."""

    @method
    def memory_timeline(
        self, *, scope: str | None = None, agent_id: str | None = None
    ) -> Call[MemoryTimeline]:
        """Return counts, types, authors and tags of today, the last seven and the last thirty days."""

    @method
    def modify(
        self,
        memory_id: str,
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        reason: str,
        if_version: int | None = None,
        content: str | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        who: str | None = None,
        project: str | None = None,
    ) -> Call[Modified]:
        """Change a memory; empty `tags` clear them. `if_version` refuses a concurrent change (409).

        The refusal contains `current_version`, and `duplicate_memory_id` if another memory has the text.
        """

    @method
    def modify_many(
        self,
        patches: Sequence[Any],
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        reason: str | None = None,
    ) -> Call[ModifiedMany]:
        """Change up to 200 memories independently; a refused patch does not stop the others. Results are in order."""

    @method
    def forget(
        self,
        memory_id: str,
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        reason: str,
        force: bool = False,
        wrong: bool = False,
        if_version: int | None = None,
    ) -> Call[Modified]:
        """Forget a memory and everything derived only from it, recoverable for 30 days; a pinned one needs `force`."""

    @method
    def erase(self, memory_id: str, *, agent_id: str | None = None, reason: str) -> Call[Modified]:
        """Erase a memory permanently; `heldBy` lists documents and copies that may still contain it."""

    @method
    def preview_forget(
        self,
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        ids: Sequence[str] | None = None,
        query: str | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        who: str | None = None,
        project: str | None = None,
        pinned: bool | None = None,
        source_type: str | None = None,
        since: str | None = None,
        until: str | None = None,
        scope: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        all: bool = False,
        undo: bool = False,
    ) -> Call[ForgetPreview]:
        """Return what `forget_many` would forget, and its confirmation token; changes nothing."""

    @method
    def forget_many(
        self,
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        ids: Sequence[str] | None = None,
        query: str | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        who: str | None = None,
        project: str | None = None,
        pinned: bool | None = None,
        source_type: str | None = None,
        since: str | None = None,
        until: str | None = None,
        scope: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        all: bool = False,
        reason: str,
        force: bool = False,
        wrong: bool = False,
        undo: bool = False,
        confirm_token: str | None = None,
    ) -> Call[ForgottenMany]:
        """Forget up to 200 memories by IDs, words or filters, with `all` every match; `mode=preview` only lists them.

        Also forgets everything derived only from them. `force` deletes permanently, including pinned ones; `wrong` marks
        them as untrue. More than 25 need the `confirm_token` of a preview of the same memories.
        """

    @method
    def recover(
        self,
        memory_id: str,
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        reason: str,
        if_version: int | None = None,
    ) -> Call[Recovered]:
        """Recover a forgotten memory within 30 days; `reason` is required."""

    @method
    def adopt(self, memory_id: str, *, agent_id: str | None = None) -> Call[SavedMemory]:
        """Give a removed agent's archived memory to an agent."""

    @method
    def recover_many(
        self,
        ids: Sequence[str],
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        reason: str,
    ) -> Call[RecoveredMany]:
        """Recover up to 200 forgotten memories independently; a refused one does not stop the others."""

    @method
    def forgotten(
        self, *, limit: int | None = 100, cursor: str | None = None, agent_id: str | None = None
    ) -> Call[ForgottenValues]:
        """Return a page of forgotten values, newest first; they are not saved again automatically.

        The start of a text is included for callers who may recover it.
        """

    @method
    def lift_forgotten(self, memory_id: str, *, agent_id: str | None = None) -> Call[Lifted]:
        """Allow a forgotten value to be saved again; its memory stays forgotten."""

    @method
    def reviews(
        self, *, limit: int | None = 100, cursor: str | None = None, agent_id: str | None = None
    ) -> Call[WaitingMemories]:
        """Return a page of memories that wait for approval, newest first."""

    @method
    def approve(self, memory_id: str, *, agent_id: str | None = None) -> Call[Modified]:
        """Approve a waiting memory for unasked injection, as data with its origin; only for people, not tools."""

    @method
    def judge(
        self,
        memory_id: str,
        *,
        agent_id: str | None = None,
        verdict: Literal["keep", "fade", "wrong", "none"],
    ) -> Call[Modified]:
        """Set a verdict on a memory: `keep`, `fade`, `wrong`, or `none` to remove it; only for people, not tools.

        The pipeline never changes a memory to keep; one that may fade counts half; a wrong one is forgotten as untrue.
        """

    @method
    def memory_links(self, memory_id: str, *, agent_id: str | None = None) -> Call[Links]:
        """Return a memory's sources, derived memories, corrections, and entities."""

    @method
    def memory_access(self, memory_id: str, *, agent_id: str | None = None) -> Call[Access]:
        """Return which agents may read a memory, and the deciding rule."""

    @method
    def reject(self, memory_id: str, *, agent_id: str | None = None) -> Call[Modified]:
        """Forget a waiting memory as wrong; its text is not saved again automatically. Only for people, not tools."""

    @method
    def rate(self, session_key: str, ratings: Any, *, agent_id: str | None = None) -> Call[Rated]:
        """Store ratings of a session's memories from -1 to 1, by ID; adjusts the weights that led to them.

        `unknown` lists memories that the session did not receive.
        """

    @method
    def spaces(self) -> Call[list[Space]]:
        """Return the spaces that the caller's key names; every space without a key, and for admins."""

    @method
    def add_space(
        self, name: str, *, description: str | None = None, review: bool | None = None
    ) -> Call[Space]:
        """Create a space. Nothing is in it, and no key reads it, until you share memories and issue keys."""

    @method
    def change_space(
        self, space: str, *, description: str | None = None, review: bool | None = None
    ) -> Call[Space]:
        """Change the description of a space, or whether what is shared waits for approval."""

    @method
    def remove_space(self, space: str) -> Call[Done]:
        """Remove a space and withdraw all its memories."""

    @method
    def shares(
        self,
        *,
        space: str | None = None,
        state: Literal["proposed", "shared", "refused", "withdrawn"] | None = None,
        memory_id: str | None = None,
        limit: int | None = 100,
        cursor: str | None = None,
        agent_id: str | None = None,
    ) -> Call[Shares]:
        """Return what was shared, newest first: your own, what is in spaces that you read, what waits for your decision."""

    @method
    def share(
        self, memory_id: str, space: str, *, note: str | None = None, agent_id: str | None = None
    ) -> Call[Share]:
        """Let a memory enter a space, or propose it where the space asks for review; only for people, not tools.

        From then on it is read through keys of the space. Its author stays named; facts derived from it stay private.
        """

    @method
    def withdraw(self, memory_id: str, *, agent_id: str | None = None) -> Call[Share]:
        """Return a memory to its author, with its earlier text and fields, or cancel a proposal; only for people."""

    @method
    def decide_share(self, share_id: str, approve: bool) -> Call[Share]:
        """Approve or refuse a memory that somebody else proposed; 409 if it has changed since."""

    @method
    def audit(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        space: str | None = None,
        newest: bool = False,
        cursor: int | None = None,
        limit: int | None = 200,
    ) -> Call[AuditPage]:
        """Return a page of the audit log, oldest first: who read, shared, exported and deleted what, and when."""

    @method
    def recall(
        self,
        query: str,
        *,
        keyword_query: str | None = None,
        limit: int | None = 10,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        who: str | None = None,
        pinned: bool | None = None,
        importance_min: float | None = None,
        min_score: float | None = None,
        floor: float | None = None,
        since: str | None = None,
        until: str | None = None,
        as_of: str | float | None = None,
        now: str | float | None = None,
        timezone: str | None = None,
        project: str | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
        session_key: str | None = None,
        community: bool = False,
        expand: bool = False,
        entities: bool = False,
        cards: bool = False,
        explain: bool = False,
        touch: bool | None = True,
        highlights: bool = False,
        why_not: str | None = None,
        as_prompt: bool = False,
    ) -> Call[Recalled]:
        """Return the memories that answer a question, best first.

        Times in the question ("last week") are relative to `now`, with days of `timezone` (an IANA name; both default to
        the daemon's). `as_of` answers with the state of that time. Times are ISO-8601 or YYYY-MM-DD. `expand` adds
        transcripts under `sources`, `explain` explains each rank, `why_not` (an ID) why that memory is not a result.
        With `touch` false the results do not count as used. `entities` and `cards` describe the entities in the
        question.
        """

    @method
    def context(
        self,
        prompt: str,
        *,
        max_chars: int | None = 4000,
        limit: int | None = 10,
        min_score: float | None = None,
        project: str | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
        session_key: str | None = None,
    ) -> Call[ContextAnswer]:
        """Return the context for a prompt as one text, with its sources."""

    @method
    def episode(self, id: str, *, page: int = 1, agent_id: str | None = None) -> Call[EpisodePage]:
        """Return one page of a source in a context, by its ID (`session:abc`)."""

    @method
    def search(
        self,
        query: str | None = None,
        *,
        limit: int | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        who: str | None = None,
        pinned: bool = False,
        importance_min: float | None = None,
        since: str | None = None,
        agent_id: str | None = None,
    ) -> Call[list[FoundMemory]]:
        """Return memories that contain the words, best first; without words, those that pass the filters."""

    @method
    def authors(self, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return every author, in alphabetical order."""

    @method
    def types(self, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return every type in use, in alphabetical order."""

    @method
    def similar(
        self,
        memory_id: str,
        *,
        k: int | None = 10,
        type: str | None = None,
        agent_id: str | None = None,
    ) -> Call[list[FoundMemory]]:
        """Return the memories most similar to the one with this `id`, best first; 404 without a vector."""

    @method
    def start_session(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        context: str | None = None,
    ) -> Call[StartedSession]:
        """Claim a session and return its start context: identity and memories; empty if it already received them.

        `context` is the session's topic. A plugin that has lost its context sends `needsContext` to receive everything
        again. 409 if the other runtime path has claimed the session.
        """

    @method
    def submit_prompt(
        self,
        harness: str,
        message: str,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        last_assistant_message: str | None = None,
        transcript: str | Sequence[Mapping[str, Any]] | None = None,
    ) -> Call[Prompted]:
        """Return the context for a user's message; each text is injected once per session.

        Transcript and ratings are stored only for a caller that may save.
        """

    @method
    def prepare_offline(
        self, projects: Sequence[str], *, agent_id: str | None = None
    ) -> Call[OfflineContexts]:
        """Return the session starts of these projects for offline use, as far as the caller may read them; "" means no
        project.
        """

    @method
    def end_turn(
        self,
        harness: str,
        session_key: str,
        *,
        agent_id: str | None = None,
        runtime_path: str | None = None,
        transcript: str | Sequence[Mapping[str, Any]],
        project: str | None = None,
        reason: str | None = None,
    ) -> Call[EndedTurn]:
        """Store the current transcript; the session continues, and new text is queued if there is enough."""

    @method
    def end_session(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        runtime_path: str | None = None,
        transcript: str | Sequence[Mapping[str, Any]] | None = None,
        project: str | None = None,
        reason: str | None = None,
    ) -> Call[EndedSession]:
        """End a session, store its transcript and queue its processing; a cleared session is not stored."""

    @method
    def before_compaction(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        session_context: str | None = None,
    ) -> Call[Precompaction]:
        """Store a checkpoint and return instructions for a summary before compaction."""

    @method
    def after_compaction(
        self,
        harness: str,
        summary: str,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Compacted]:
        """Save the summary of a compaction."""

    @method
    def sessions(self, *, agent_id: str | None = None) -> Call[list[RunningSession]]:
        """Return the active sessions."""

    @method
    def all_sessions(
        self,
        *,
        project: str | None = None,
        harness: str | None = None,
        use: Literal["given_nothing", "used_nothing"] | None = None,
        since: str | None = None,
        until: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        agent_id: str | None = None,
    ) -> Call[SessionPage]:
        """Return active and ended sessions, latest activity first; `use` selects by received and used items."""

    @method
    def projects(self, *, agent_id: str | None = None) -> Call[list[ListedProject]]:
        """Return the projects with their number of memories and sessions, the latest session first."""

    @method
    def session(self, session_key: str) -> Call[RunningSession]:
        """Return an active session."""

    @method
    def bypass_session(self, session_key: str, *, enabled: Any = True) -> Call[Bypassed]:
        """Disable or enable a session's hooks."""

    @method
    def preview_forget_session(
        self, session_key: str, *, agent_id: str | None = None
    ) -> Call[SessionPreview]:
        """Return what `forget_session` would delete; changes nothing."""

    @method
    def forget_session(
        self, session_key: str, *, reason: str, agent_id: str | None = None
    ) -> Call[SessionForgotten]:
        """Delete a session's stored data permanently, and forget memories that come only from it; `mode=preview` only lists
        them.

        Only the memories can be recovered. Nothing more of the session is stored afterwards. `reason` is required.
        """

    @method
    def renew_session(self, session_key: str) -> Call[RenewedSession]:
        """Renew a session's claim to its full duration."""

    @method
    def transcript(
        self, session_key: str, *, agent_id: str | None = None
    ) -> Call[SessionTranscript]:
        """Return a session's stored transcript."""

    @method
    def session_context(
        self,
        session_key: str = "latest",
        *,
        agent_id: str | None = None,
        project: str | None = None,
    ) -> Call[SessionContext]:
        """Return a session's injections with sources, reasons and use; what was omitted is included.

        The key may be a prefix, or `latest`: the newest of the folder `project`, or of all. Reading does not count as use.
        """

    @method
    def session_replay(
        self,
        session_key: str = "latest",
        *,
        agent_id: str | None = None,
        project: str | None = None,
    ) -> Call[SessionReplay]:
        """Return a whole session: context, messages, saved memories, summary.

        The key is as for the context. Reading does not count as use.
        """

    @method
    def search_transcripts(
        self,
        query: str,
        *,
        limit: int | None = 10,
        agent_id: str | None = None,
        session_key: str | None = None,
        project: str | None = None,
    ) -> Call[list[TranscriptExcerpt]]:
        """Return transcript passages that contain the query's words."""

    @method
    def session_summaries(
        self,
        *,
        depth: str | None = None,
        limit: int | None = 50,
        offset: int | None = None,
        project: str | None = None,
    ) -> Call[SummaryPage]:
        """Return a page of session summaries, latest first; `depth` 0 covers one session, higher ones several."""

    @method
    def checkpoints(self, project: str, *, limit: int | None = 10) -> Call[list[SessionCheckpoint]]:
        """Return the checkpoints of a project's sessions, newest first."""

    @method
    def session_checkpoints(self, session_key: str) -> Call[list[SessionCheckpoint]]:
        """Return the checkpoints of one session, newest first."""

    @method
    def health(self) -> Call[Health]:
        """Return that the API answers; `db` is false if the database does not, `status` degraded if processing is stuck."""

    @method
    def ready(self) -> Call[Ready]:
        """Return whether database, schema, worker and scheduler are ready (200), else what is missing (503).

        `code` is set if nothing can be stored or the database is damaged. After a start, the embedding model must be
        loaded too.
        """

    @method
    def status(self, *, parts: Sequence[str] | None = None) -> Call[Status]:
        """Return version, processes, queue, providers and effective settings; `parts` selects some, which is faster."""

    @method
    def overview(self, *, agent_id: str | None = None) -> Call[FullStatus]:
        """Return all that `signet status` shows, in one answer."""

    @method
    def resources(self) -> Call[Resources]:
        """Return memory and processor time of each process, and disk use of each part of the workspace."""

    @method
    def features(self) -> Call[dict[str, bool]]:
        """Return the boolean flags of the `features` section."""

    @method
    def jobs(
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        code: str | None = None,
        memory_id: str | None = None,
        document_id: str | None = None,
        limit: int | None = 50,
        since: str | None = None,
        until: str | None = None,
    ) -> Call[list[Job]]:
        """Return jobs, latest change first; `status` may contain several, comma-separated."""

    @method
    def all_jobs(
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        code: str | None = None,
        memory_id: str | None = None,
        document_id: str | None = None,
        limit: int | None = 50,
        cursor: str | None = None,
        facets: bool = False,
        since: str | None = None,
        until: str | None = None,
    ) -> Call[Jobs]:
        """Return jobs, latest change first.

        `status` (comma-separated), `kind`, `code` (of the last error), `memory_id` and `document_id` filter them,
        `since` and `until` bound the latest change. `cursor` is `next` of the previous page; `facets` adds totals and
        counts.
        """

    @method
    def job(self, job_id: str) -> Call[WholeJob]:
        """Return one job with all fields and its last errors."""

    @method
    def retry_job(self, job_id: str) -> Call[ChangedJob]:
        """Restart a dead job, or run a waiting one now."""

    @method
    def cancel_job(self, job_id: str) -> Call[ChangedJob]:
        """Cancel a job: a waiting one at once, a running one at its next check (`cancelRequested`)."""

    @method
    def delete_job(self, job_id: str) -> Call[DeletedJob]:
        """Delete an ended job; 409 for an open one."""

    @method
    def retry_jobs(
        self,
        *,
        ids: Sequence[str] | None = None,
        kind: str | None = None,
        code: str | None = None,
        memory_id: str | None = None,
        document_id: str | None = None,
        since: str | float | None = None,
        until: str | float | None = None,
        all: bool = False,
        limit: int | None = None,
        dry_run: bool = False,
    ) -> Call[ChangedJobs]:
        """Restart dead jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500)."""

    @method
    def cancel_jobs(
        self,
        *,
        ids: Sequence[str] | None = None,
        kind: str | None = None,
        code: str | None = None,
        memory_id: str | None = None,
        document_id: str | None = None,
        since: str | float | None = None,
        until: str | float | None = None,
        all: bool = False,
        limit: int | None = None,
        dry_run: bool = False,
    ) -> Call[ChangedJobs]:
        """Cancel open jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500)."""

    @method
    def pipeline_status(self, *, agent_id: str | None = None) -> Call[PipelineStatus]:
        """Return running, waiting and dead jobs; works while worker and scheduler are down."""

    @method
    def pause(self, *, queue: str | None = None) -> Call[Paused]:
        """Start no jobs until resumed, in one queue or all; running ones finish, and the pause survives restarts."""

    @method
    def resume(self, *, queue: str | None = None) -> Call[Paused]:
        """Start jobs again, in all queues or one."""

    @method
    def entities(
        self,
        *,
        type: str | None = None,
        query: str | None = None,
        limit: int | None = 50,
        offset: int | None = None,
        agent_id: str | None = None,
    ) -> Call[EntityPage]:
        """Return a page of entities with their counts, the most important first; `q` is part of the name."""

    @method
    def entity(self, entity_id: str, *, agent_id: str | None = None) -> Call[WholeEntity]:
        """Return one entity with its counts."""

    @method
    def expand(
        self,
        name: str,
        *,
        aspect: str | None = None,
        question: str | None = None,
        max_tokens: int | None = 2000,
        agent_id: str | None = None,
    ) -> Call[Expanded]:
        """Return an entity's attributes by its name, best for the question first, within a token budget."""

    @method
    def impact(
        self,
        entity_id: str,
        *,
        direction: str | None = "downstream",
        max_depth: int | None = 3,
        agent_id: str | None = None,
    ) -> Call[Impact]:
        """Return the entities affected by a change of one, nearest first: its dependents, or with `upstream` its
        dependencies.
        """

    @method
    def knowledge_stats(self, *, agent_id: str | None = None) -> Call[KnowledgeStats]:
        """Return the counts of an agent's graph."""

    @method
    def pin_entity(
        self, entity_id: str, *, reason: str | None = None, agent_id: str | None = None
    ) -> Call[Pinned]:
        """Pin an entity for graph walks regardless of its mentions, or suppress it."""

    @method
    def unpin_entity(self, entity_id: str, *, agent_id: str | None = None) -> Call[Pinned]:
        """Remove a pin or a suppression."""

    @method
    def evaluation(self, *, agent_id: str | None = None) -> Call[Evaluation]:
        """Compare sessions with and without memory: effect, cost, notable memories."""

    @method
    def past_sessions(
        self, *, limit: int | None = 50, agent_id: str | None = None
    ) -> Call[PastSessions]:
        """Return the sessions that can be replayed, newest first."""

    @method
    def replay(
        self,
        session_key: str,
        *,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        agent_id: str | None = None,
    ) -> Call[Replay]:
        """Return what a past session's prompts would receive now and, with `settings` (values by dotted key), with those.

        Does not count as use.
        """

    @method
    def predictor(self, *, agent_id: str | None = None) -> Call[PredictorStatus | PredictorOff]:
        """Return the state and results of learned ranking."""

    @method
    def comparisons(
        self,
        *,
        entity_id: str | None = None,
        limit: int | None = 50,
        offset: int | None = None,
        agent_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        project: str | None = None,
    ) -> Call[ComparisonPage]:
        """Return the sessions ranked both ways, newest first."""

    @method
    def comparisons_by_project(self, *, agent_id: str | None = None) -> Call[ProjectResults]:
        """Return the results of learned ranking by project."""

    @method
    def comparisons_by_entity(self, *, agent_id: str | None = None) -> Call[EntityResults]:
        """Return the results of learned ranking by the session's entity."""

    @method
    def trainings(self, *, limit: int | None = 20, agent_id: str | None = None) -> Call[Trainings]:
        """Return activations and stops of learned ranking, newest first."""

    @method
    def training_pairs(self, *, agent_id: str | None = None) -> Call[PairCount]:
        """Return the number of labels."""

    @method
    def relearn(
        self, *, agent_id: str | None = None, limit: int | None = 5000, epochs: int | None = 3
    ) -> Call[Trained]:
        """Recompute an agent's memories from all labels; each session end does this for its own."""

    @method
    def roll_back(
        self, *, agent_id: str | None = None, version: int | None = None
    ) -> Call[RolledBack]:
        """Restore the original order; observation restarts from zero."""

    @method
    def embeddings(
        self,
        *,
        limit: int | None = 600,
        offset: int | None = None,
        vectors: bool = False,
        agent_id: str | None = None,
    ) -> Call[EmbeddingPage]:
        """Return a page of memories with a vector, newest first; `vectors` adds the numbers."""

    @method
    def embeddings_status(self) -> Call[EmbeddingsStatus]:
        """Return whether the provider answers, and the tracker's progress."""

    @method
    def embeddings_health(self, *, agent_id: str | None = None) -> Call[EmbeddingsHealth]:
        """Return seven checks of provider and vectors, and one score, over all agents."""

    @method
    def projection_columns(self, *, agent_id: str | None = None) -> Call[ProjectionColumns]:
        """Return the map of all memories as columns, without texts; 202 with `status` computing while it is drawn."""

    @method
    def projection(
        self,
        *,
        limit: int | None = None,
        offset: int | None = None,
        query: str | None = None,
        who: Sequence[str] | None = None,
        harness: Sequence[str] | None = None,
        types: Sequence[str] | None = None,
        source_types: Sequence[str] | None = None,
        tags: str | Sequence[str] | None = None,
        pinned: bool | None = None,
        since: str | None = None,
        until: str | None = None,
        importance_min: float | None = None,
        importance_max: float | None = None,
        agent_id: str | None = None,
        dimensions: int = 2,
    ) -> Call[Projection]:
        """Return a map of memories in two or three dimensions; 202 with `status` computing while it is drawn.

        `who`, `types` and `tags` are comma-separated.
        """

    @method
    def add_document(
        self,
        content: str | None = None,
        *,
        source_type: str = "text",
        url: str | None = None,
        title: str | None = None,
        content_type: str | None = None,
        connector_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        agent_id: str | None = None,
    ) -> Call[AddedDocument]:
        """Store a document and queue its processing; a known one is answered with 200 and `deduplicated`.

        With `source_type` url or file, `url` is its location. A token limited to an agent cannot name files, which
        belong to no agent.
        """

    @method
    def documents(
        self,
        *,
        status: str | None = None,
        include: Literal["content"] | None = None,
        limit: int | None = 50,
        offset: int | None = None,
        agent_id: str | None = None,
    ) -> Call[DocumentPage]:
        """Return a page of documents, newest first; `include=content` adds their text."""

    @method
    def document(self, document_id: str, *, agent_id: str | None = None) -> Call[Document]:
        """Return one document."""

    @method
    def chunks(self, document_id: str, *, agent_id: str | None = None) -> Call[list[DocumentChunk]]:
        """Return the memories of a document's chunks, in order."""

    @method
    def delete_document(
        self, document_id: str, *, reason: str, agent_id: str | None = None
    ) -> Call[ForgottenDocument]:
        """Delete a document and forget chunks that belong only to it; `reason` is required."""

    @method
    def connectors(self) -> Call[list[Connector]]:
        """Return all connectors, newest first."""

    @method
    def connector(self, connector_id: str) -> Call[Connector]:
        """Return one connector."""

    @method
    def add_connector(
        self,
        provider: str = "filesystem",
        *,
        display_name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        agent_id: str | None = None,
        sync: bool = False,
    ) -> Call[AddedConnector]:
        """Add a connector, and with `sync` start its first sync; `settings.rootPath` must be a readable folder on this
        machine.
        """

    @method
    def sync_connectors(self) -> Call[Resynced]:
        """Start an incremental sync of every connector."""

    @method
    def connector_health(self, connector_id: str) -> Call[ConnectorHealth]:
        """Return a connector's state, sync progress and document counts."""

    @method
    def remove_connector(
        self, connector_id: str, *, cascade: bool = False
    ) -> Call[RemovedConnector]:
        """Remove a connector, with `cascade` also its documents."""

    @method
    def doctor(self) -> Call[list[CheckResult]]:
        """Check machine, workspace, database and models, as `signet doctor` does; may wait for a model."""

    @method
    def diagnostics(self) -> Call[Diagnoses]:
        """Return every domain's score, and the weighted total with reasons and commands."""

    @method
    def diagnosis(self, domain: str) -> Call[Diagnosis]:
        """Return one domain, or `composite`."""

    @method
    def timeline(self, entity_id: str, *, limit: int | None = 1000) -> Call[Timeline]:
        """Return history, jobs, log lines and errors of a memory, session or request, oldest first; empty for an unknown
        ID.
        """

    @method
    def models(self, *, provider: str | None = None, deprecated: bool = False) -> Call[Models]:
        """Return the available models of all providers or one, and the list's age; `deprecated` includes replaced ones."""

    @method
    def refresh_models(self) -> Call[RefreshedModels]:
        """Fetch the models of the configured Ollama server, at most once a minute; contacts no other provider."""

    @method
    def telemetry_events(
        self,
        *,
        event: str | None = None,
        limit: int | None = 100,
        since: str | None = None,
        until: str | None = None,
    ) -> Call[TelemetryPage]:
        """Return events, newest first; they never leave the machine."""

    @method
    def telemetry_stats(self, *, since: str | None = None) -> Call[TelemetryStats]:
        """Return totals since an instant: language model calls, and errors by stage and code."""

    @method
    def usage(self) -> Call[Usage]:
        """Return counts by route, caller, provider and connector."""

    @method
    def latency(self) -> Call[dict[str, dict[str, float]]]:
        """Return latency percentiles of each operation since the daemon started, in milliseconds."""

    @method
    def series(
        self,
        *,
        metrics: Sequence[str] | None = None,
        step: Literal["10min", "hour", "day"] | None = "day",
        count: int | None = None,
        tz: str | None = None,
    ) -> Call[Series]:
        """Return counts for each of the last ten minutes, hours or days of a time zone."""

    @method
    def errors(
        self, *, stage: str | None = None, limit: int | None = 50, since: str | None = None
    ) -> Call[Errors]:
        """Return the newest errors, oldest first, and counts by code; `stage` and `since` filter."""

    @method
    def logs(
        self,
        *,
        level: str | None = None,
        category: str | None = None,
        limit: int | None = 100,
        since: str | None = None,
    ) -> Call[list[dict[str, Any]]]:
        """Return the newest lines in time order; `level` (minimum), `category` and `since` filter them."""

    @method
    def harnesses(self) -> Call[list[KnownHarness]]:
        """Return every supported harness with its file and last call."""

    @method
    def regenerate_harnesses(self) -> Call[Regenerated]:
        """Repair harness connections and rewrite generated files; `output` lists results and failures."""

    @method
    def rewrite_memory_file(self, *, agent_id: str | None = None) -> Call[TriggeredSynthesis]:
        """Queue a run now, regardless of the schedule, if a memory has changed; else return the `reason` why not."""

    @method
    def undo_memory_file(self, *, agent_id: str | None = None) -> Call[UndoneSynthesis]:
        """Restore the MEMORY.md before the last run, without forgotten and outdated statements; a second time brings the
        replaced one back.
        """

    @method
    def git_status(self) -> Call[GitStatus]:
        """Return the repository's state, without network access."""

    @method
    def git_pull(self) -> Call[GitDone]:
        """Pull from the remote; `success` and `message` describe the result."""

    @method
    def git_push(self) -> Call[GitDone]:
        """Push to the remote; `success` and `message` describe the result."""

    @method
    def git_sync(self) -> Call[GitDone]:
        """Pull, then push; `success` and `message` describe the result."""

    @method
    def git_settings(self) -> Call[GitSettings]:
        """Return the effective settings."""

    @method
    def change_git_settings(
        self,
        *,
        enabled: bool | None = None,
        auto_commit: bool | None = None,
        auto_sync: bool | None = None,
        sync_interval_seconds: int | None = None,
        remote: str | None = None,
        branch: str | None = None,
    ) -> Call[ChangedGitSettings]:
        """Change settings in agent.yaml."""

    @method
    def check_update(self, *, force: bool = False) -> Call[UpdateCheck]:
        """Return whether a new version exists; queries the index only with `force`, or if allowed."""

    @method
    def update_settings(self) -> Call[UpdateSettings]:
        """Return the update settings and the last result."""

    @method
    def change_update_settings(
        self,
        *,
        auto_install: Any | None = None,
        auto_check: Any | None = None,
        check_interval_seconds: Any | None = None,
    ) -> Call[ChangedUpdateSettings]:
        """Change the update settings in agent.yaml."""

    @method
    def install_update(self, version: str | None = None) -> Call[Installed]:
        """Install a version, by default the newest, with the original tool; the daemon uses it after a restart."""

    @method
    def secrets(self) -> Call[list[str]]:
        """Return the names of all secrets, oldest first; values are never listed."""

    @method
    def put_secret(self, name: str, value: str) -> Call[KeptSecret]:
        """Store a secret, replacing an earlier one."""

    @method
    def remove_secret(self, name: str) -> Call[KeptSecret]:
        """Delete a secret."""

    @method
    def exec_with_secrets(
        self, command: str, secrets: Mapping[str, str], *, timeout_ms: int | None = None
    ) -> Call[Ran]:
        """Run a shell command on this machine; `secrets` maps variables to secret names. Its output is masked."""

    @method
    def tasks(self) -> Call[TaskPage]:
        """Return every task, newest first, with the result of its last run."""

    @method
    def task(self, task_id: str) -> Call[WholeTask]:
        """Return a task and its newest runs."""

    @method
    def add_task(
        self,
        name: str,
        prompt: str,
        cron: str,
        *,
        timezone: str | None = None,
        harness: str,
        working_directory: str | None = None,
        enabled: bool | None = None,
        skill: str | None = None,
        skill_mode: str | None = None,
        skip_permissions: bool | None = None,
    ) -> Call[AddedTask]:
        """Schedule a prompt for a harness with a cron expression."""

    @method
    def enable_task(self, task_id: str, *, enabled: bool = True) -> Call[Done]:
        """Enable or disable a task's schedule."""

    @method
    def run_task(self, task_id: str) -> Call[StartedRun]:
        """Run a task now, even if disabled."""

    @method
    def remove_task(self, task_id: str) -> Call[Done]:
        """Delete a task with its runs, stopping a running one."""

    @method
    def config_files(self) -> Call[list[ConfigFile]]:
        """Return the files at the top of the workspace; secrets are masked for callers without access."""

    @method
    def write_config(self, file: Any, content: Any, *, if_hash: str | None = None) -> Call[Done]:
        """Replace one of these files; settings that do not parse are refused with their line.

        With `if_hash`, refuse a file that has changed since (409).
        """

    @method
    def identity(self) -> Call[AgentIdentity]:
        """Return name, creature and vibe from IDENTITY.md."""

    @method
    def agents(self) -> Call[list[CountedAgent]]:
        """Return every agent with its policy and number of memories, the default one first."""

    @method
    def agent(self, name: str) -> Call[WholeAgent]:
        """Return one agent, its memories by visibility, and its files."""

    @method
    def add_agent(
        self, name: str, *, read_policy: str = "isolated", policy_group: str | None = None
    ) -> Call[NamedAgent]:
        """Add an agent: an entry in agent.yaml, a row, and a folder for its files.

        Its policy is isolated, shared, or group with a `policy_group`.
        """

    @method
    def remove_agent(self, name: str, *, purge: bool = False) -> Call[RemovedAgent]:
        """Remove an agent; its memories are archived, or erased with `purge`. Its files stay."""

    @method
    def skills(self, *, agent_id: str | None = None) -> Call[list[Skill]]:
        """Return the installed skills, sorted by name; only the listed ones for an agent with a skill list."""

    @method
    def skill(self, name: str) -> Call[WholeSkill]:
        """Return a skill's metadata, and its whole file as `content`."""

    @method
    def search_skills(self, query: str) -> Call[list[CatalogSkill]]:
        """Return installed and available skills that contain the words of `q`."""

    @method
    def browse_skills(self) -> Call[list[CatalogSkill]]:
        """Return the skills in this machine's catalogues, the most popular first."""

    @method
    def install_skill(self, name: str, *, source: str | None = None) -> Call[InstalledSkill]:
        """Install a skill from a catalogue, or from `source`: a local path or `owner/repo[@skill]`.

        Replaces one of the same name. May take a minute; on failure nothing is changed.
        """

    @method
    def remove_skill(self, name: str) -> Call[RemovedSkill]:
        """Remove a skill."""

    @method
    def whoami(self) -> Call[WhoAmI]:
        """Return the caller's identity and permissions."""

    @method
    def issue_token(
        self,
        role: Literal["admin", "operator", "agent", "readonly", "monitor"],
        *,
        ttl_seconds: float | None = None,
        sub: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        spaces: dict[str, list[str]] | None = None,
    ) -> Call[IssuedToken]:
        """Sign a token, limited to the named scope; it is shown only once. Requires the role admin."""

    @method
    def exchange(self, code: str) -> Call[IssuedToken]:
        """Exchange a one-time link's code for a dashboard session; a code is valid once, for 5 minutes.

        Every user of the machine can read the link in the browser's arguments, so their programs are refused. A session
        ends when it expires or is revoked, and with its daemon.
        """

    @method
    def tokens(self, *, limit: int | None = 100) -> Call[list[Token]]:
        """Return issued and used tokens, latest first, without the tokens themselves."""

    @method
    def revoke_token(self, jti: str) -> Call[RevokedToken]:
        """Revoke a token, whatever its expiry."""

    @method
    def backfill_status(self) -> Call[Backfill]:
        """Return the progress of the last run."""

    @method
    def backfill(
        self,
        *,
        since: str | float | None = None,
        harnesses: Sequence[str] | None = None,
        projects: Sequence[str] | None = None,
        by_model: bool = False,
        dry_run: bool = False,
        agent_id: str | None = None,
    ) -> Call[StartedBackfill]:
        """Find unread sessions and queue them, newest first; `dry_run` only lists them.

        With `by_model` the configured model extracts the facts, else the built-in rules.
        """

    @method
    def stop_backfill(self) -> Call[StoppedBackfill]:
        """Stop reading; finished sessions stay, and the next start finds the rest."""

    @method
    def export_page(
        self,
        *,
        since: str | None = None,
        cursor: str | None = None,
        vectors: bool = False,
        everything: bool = False,
        agent_id: str | None = None,
    ) -> Call[ExportPage]:
        """Return a page of records, and under `next` the `cursor` of the following page.

        Contains what the agent may read; `everything` adds private memories of all agents. `since` omits records
        unchanged since then, `vectors` adds vectors.
        """

    @method
    def import_records(
        self,
        records: Sequence[Mapping[str, Any]],
        *,
        vectors: bool = False,
        preview: str | None = None,
        last: bool = False,
    ) -> Call[Imported]:
        """Import up to 1,000 records, each completely or not at all, and return the results; repeating it adds nothing.

        `vectors`: the file contains vectors, so none are created. With a name under `preview` nothing is written; all
        requests of a dry run share the name, and its last one sets `last`.
        """
