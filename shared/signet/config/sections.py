"""The sections of agent.yaml as frozen classes with defaults.

Attributes are the keys in snake_case, with units added. `pipelineV2` is `pipeline`. Derived values (a provider's
model) are set at construction, so every `Settings` is complete.
"""

from collections.abc import Mapping
from enum import StrEnum

from signet.config import origins
from signet.config.fields import SettingsSection, nested, section, setting, settle
from signet.config.oidc import Oidc
from signet.config.pipeline import Pipeline
from signet.config.roster import RosterAgent, roster
from signet.config.storage import storage_url
from signet.config.values import (
    CENTURY_MS,
    CENTURY_SECONDS,
    PLENTY,
    flags,
    folders,
    from_text,
    milliseconds,
    prefixes,
    texts,
    web_address,
)

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


class EmbeddingProvider(StrEnum):
    """Embedding providers; `none` leaves keyword search."""

    NATIVE = "native"
    OLLAMA = "ollama"
    OPENAI = "openai"
    NONE = "none"


class AuthMode(StrEnum):
    """Who needs a token."""

    LOCAL = "local"
    TEAM = "team"
    HYBRID = "hybrid"


class LocalUsers(StrEnum):
    """Local users whose programs need no token: the daemon's own, or all."""

    SAME = "same"
    ANY = "any"


class Schedule(StrEnum):
    """How often MEMORY.md is generated."""

    DAILY = "daily"
    WEEKLY = "weekly"
    ON_DEMAND = "on-demand"


class UpdateChannel(StrEnum):
    LATEST = "latest"
    NEXT = "next"


#: all-MiniLM-L6-v2 works without a server (decision 8).
EMBEDDING_MODELS = {
    EmbeddingProvider.NATIVE: "all-MiniLM-L6-v2",
    EmbeddingProvider.OLLAMA: "nomic-embed-text",
    EmbeddingProvider.OPENAI: "text-embedding-3-small",
    EmbeddingProvider.NONE: "all-MiniLM-L6-v2",
}
#: Name prefixes of other in-process models: published ones, and those from a folder.
ADDED_MODELS = ("bge-small-en-v1.5", "multilingual-e5-small", "embeddinggemma-300m", "local:")
#: By the model's name prefix (CL-12).
DIMENSIONS = {
    "all-minilm": 384,
    "bge-small": 384,
    "multilingual-e5-small": 384,
    "mxbai-embed-large": 1024,
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
}
OTHER_DIMENSIONS = 768


def dimensions_of(model: str) -> int:
    """Return the vector dimensions of an embedding model (CL-12)."""
    name = model.lower().rpartition("/")[2]
    return next((n for known, n in DIMENSIONS.items() if name.startswith(known)), OTHER_DIMENSIONS)


@section
class AgentSettings(SettingsSection):
    """The agent's name."""

    name: str = "My Agent"
    description: str = "Personal AI assistant"
    created: str | None = None


@section
class AgentsSettings(SettingsSection):
    roster: tuple[RosterAgent, ...] = setting((), accept=roster)


@section
class OpenClawSettings(SettingsSection, snake=True):
    restart_command: str | None = None


@section
class ServicesSettings(SettingsSection):
    """Related programs."""

    openclaw: OpenClawSettings = nested(OpenClawSettings)


@section
class SecretsSettings(SettingsSection):
    """Permitted uses of the vault."""

    allow_read: bool = True
    #: Commands that may receive each of these secrets; other secrets have no restriction.
    exec_allow: Mapping[str, tuple[str, ...]] = setting({}, accept=prefixes)


@section
class EmbeddingSettings(SettingsSection, snake=True):
    """Vectors. `model` and `dimensions` default to the provider's.

    `native` has all-MiniLM-L6-v2 and models added by `signet models install`.
    """

    provider: EmbeddingProvider = EmbeddingProvider.NATIVE
    model: str = ""
    dimensions: int = setting(0, 1, 4096, parse=from_text)
    #: None: the provider's default address; see `env.Environment.ollama_url`.
    base_url: str | None = setting(None, accept=web_address, also=("endpoint",))
    api_key: str | None = setting(None, is_secret=True)

    def __post_init__(self) -> None:
        is_native = self.provider is EmbeddingProvider.NATIVE
        is_fixed = is_native and not self.model.startswith(ADDED_MODELS)
        model = ("" if is_fixed else self.model) or EMBEDDING_MODELS[self.provider]
        dimensions = dimensions_of(model) if is_fixed else self.dimensions or dimensions_of(model)
        settle(self, model=model, dimensions=dimensions)


@section
class SearchSettings(SettingsSection, snake=True):
    """Recall (CF-20)."""

    #: Weight of vectors relative to keywords.
    alpha: float = setting(0.7, 0, 1, parse=from_text)
    top_k: int = setting(20, 1, 200, parse=from_text)
    min_score: float = setting(0.1, 0, 1, parse=from_text)
    #: Minimum relevance of a result on a page; 0 disables it.
    floor: float = setting(0.4, 0, 1, parse=from_text)


@section
class MemorySynthesis(SettingsSection, snake=True):
    schedule: Schedule = Schedule.DAILY
    max_tokens: int = setting(4_000, 1, PLENTY)


@section
class MemorySettings(SettingsSection, snake=True):
    """Storage and decay of memories."""

    session_budget_chars: int = setting(2_000, 200, 20_000, key="session_budget")
    #: Per day.
    decay_rate: float = setting(0.95, 0, 1)
    #: Mask secrets in all stored texts (text/masking.py).
    mask_secrets: bool = True
    synthesis: MemorySynthesis = nested(MemorySynthesis)


@section
class Retention(SettingsSection):
    """Retention periods; `30d` and `12h` are accepted (CF-21)."""

    interval_ms: int = setting(6 * HOUR_MS, 60_000, CENTURY_MS, parse=milliseconds)
    tombstone_retention_ms: int = setting(30 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    history_retention_ms: int = setting(180 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    completed_job_retention_ms: int = setting(14 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    dead_job_retention_ms: int = setting(30 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    batch_limit: int = setting(500, 1, 10_000)


@section
class StorageSettings(SettingsSection):
    """The engine of the database."""

    #: None: the file `memory/memories.db`.
    url: str | None = setting(None, accept=storage_url)


@section
class BackupSettings(SettingsSection):
    """Automatic backups."""

    daily: bool = True
    #: Number of daily backups kept.
    keep: int = setting(7, 1, 365)


@section
class RateLimit(SettingsSection):
    """Rate limit of one operation; non-positive numbers become the default."""

    window_ms: int = setting(60_000, 1, DAY_MS, strict=True)
    max: int = setting(60, 1, PLENTY, strict=True)


@section
class RateLimits(SettingsSection):
    """Rate limits outside local mode."""

    forget: RateLimit = nested(RateLimit, max=30)
    modify: RateLimit = nested(RateLimit, max=60)
    batch_forget: RateLimit = nested(RateLimit, max=5)
    force_delete: RateLimit = nested(RateLimit, max=3)
    admin: RateLimit = nested(RateLimit, max=10)


@section
class Auth(SettingsSection):
    """Authentication."""

    mode: AuthMode = setting(AuthMode.LOCAL, flat=("authMode",))
    #: Users of this machine whose programs need no token in the modes local and hybrid.
    local_users: LocalUsers = setting(LocalUsers.SAME)
    #: Origins of other programs' pages with the rights of our own: `signet trust origin`.
    trusted_origins: tuple[str, ...] = setting((), accept=origins.read)
    default_token_ttl_seconds: int = setting(604_800, 1, CENTURY_SECONDS, strict=True)
    session_token_ttl_seconds: int = setting(86_400, 1, CENTURY_SECONDS, strict=True)
    #: How long the audit log is kept.
    audit_days: int = setting(365, 1, 36_500)
    rate_limits: RateLimits = nested(RateLimits)
    oidc: Oidc = nested(Oidc)


@section
class Git(SettingsSection):
    """The workspace's git repository."""

    enabled: bool = True
    auto_commit: bool = True
    auto_sync: bool = True
    sync_interval_seconds: int = setting(300, 60, 86_400, key="syncInterval")
    remote: str = "origin"
    #: None: the remote's head, the current branch, or `main`.
    branch: str | None = None


@section
class Updates(SettingsSection, snake=True):
    """Updates of the product; network access only with `auto_check` (TK-34)."""

    auto_check: bool = False
    auto_install: bool = False
    check_interval_seconds: int = setting(21_600, 300, 604_800, key="check_interval")
    channel: UpdateChannel = UpdateChannel.LATEST


@section
class SessionStart(SettingsSection):
    """Context at a session start."""

    recall_limit: int = setting(10, 1, 200)
    candidate_pool_limit: int = setting(100, 1, 1_000)
    include_identity: bool = True
    #: False omits the section "Working Memory" (CF-40).
    include_recent_context: bool = True
    #: Read commit messages of git projects, and offer them to prompts.
    read_commits: bool = True
    max_inject_chars: int = setting(24_000, 1_000, 200_000)
    max_inject_tokens: int | None = setting(None, 250, 50_000)
    query: str | None = None


@section
class UserPromptSubmit(SettingsSection):
    """Context for each prompt."""

    enabled: bool = True
    recall_limit: int = setting(10, 1, 50)
    max_inject_chars: int = setting(500, 100, 20_000)
    #: Maximum characters injected: at the first prompt with related earlier work, and at later ones.
    max_brief_chars: int = setting(4_000, 0, 20_000)
    max_later_chars: int = setting(1_200, 0, 20_000)
    min_score: float = setting(0.4, 0, 1)


@section
class PreCompaction(SettingsSection):
    """Instructions before a harness compacts its context."""

    include_recent_memories: bool = True
    memory_limit: int = setting(5, 0, 50)
    #: None: the built-in text.
    summary_guidelines: str | None = None


@section
class SessionEnd(SettingsSection):
    """When an inactive session ends."""

    #: Shorter than a claim, so that no session expires unseen.
    idle_minutes: int = setting(30, 5, 230)


@section
class Hooks(SettingsSection):
    #: Folders of which nothing is recorded, and in which nothing is injected.
    private_folders: tuple[str, ...] = setting((), accept=folders)
    session_start: SessionStart = nested(SessionStart)
    user_prompt_submit: UserPromptSubmit = nested(UserPromptSubmit)
    pre_compaction: PreCompaction = nested(PreCompaction)
    session_end: SessionEnd = nested(SessionEnd)


@section
class Settings(SettingsSection):
    """All settings of agent.yaml, with defaults."""

    agent: AgentSettings = nested(AgentSettings)
    #: Harnesses to keep connected.
    harnesses: tuple[str, ...] = setting((), accept=texts)
    features: Mapping[str, bool] = setting({}, accept=flags)
    agents: AgentsSettings = nested(AgentsSettings)
    services: ServicesSettings = nested(ServicesSettings)
    secrets: SecretsSettings = nested(SecretsSettings)
    embedding: EmbeddingSettings = nested(EmbeddingSettings)
    search: SearchSettings = nested(SearchSettings)
    memory: MemorySettings = nested(MemorySettings)
    retention: Retention = nested(Retention)
    backup: BackupSettings = nested(BackupSettings)
    storage: StorageSettings = nested(StorageSettings)
    pipeline: Pipeline = nested(Pipeline, key="pipelineV2")
    hooks: Hooks = nested(Hooks)
    auth: Auth = nested(Auth)
    git: Git = nested(Git)
    updates: Updates = nested(Updates)
