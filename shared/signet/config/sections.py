"""The sections of agent.yaml, one frozen class each, with every default beside its field.

Attributes are the snake_case form of the keys, with the unit added where the key leaves it out. `pipelineV2` is
`pipeline`. What depends on other values (a model on its provider) is settled when a section is made, so that a
`Settings` is complete however it came to be.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

from signet.config import origins
from signet.config.fields import SettingsSection, nested, section, setting, settle
from signet.config.hooks import Hooks
from signet.config.pipeline import Pipeline
from signet.config.roster import RosterAgent, roster
from signet.config.values import (
    CENTURY_MS,
    CENTURY_SECONDS,
    PLENTY,
    flags,
    from_text,
    milliseconds,
    prefixes,
    texts,
    web_address,
)

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


class EmbeddingProvider(StrEnum):
    """Who turns text into vectors; `none` leaves keyword search."""

    NATIVE = "native"
    OLLAMA = "ollama"
    OPENAI = "openai"
    NONE = "none"


class AuthMode(StrEnum):
    """Who must show a token."""

    LOCAL = "local"
    TEAM = "team"
    HYBRID = "hybrid"


class LocalUsers(StrEnum):
    """The users of this machine whose programs need no token: the daemon's own, or all."""

    SAME = "same"
    ANY = "any"


class Schedule(StrEnum):
    """How often MEMORY.md is written."""

    DAILY = "daily"
    WEEKLY = "weekly"
    ON_DEMAND = "on-demand"


class UpdateChannel(StrEnum):
    """Which releases count as updates."""

    LATEST = "latest"
    NEXT = "next"


#: We ship all-MiniLM-L6-v2 (decision 8), the one that works without a server.
EMBEDDING_MODELS = {
    EmbeddingProvider.NATIVE: "all-MiniLM-L6-v2",
    EmbeddingProvider.OLLAMA: "nomic-embed-text",
    EmbeddingProvider.OPENAI: "text-embedding-3-small",
    EmbeddingProvider.NONE: "all-MiniLM-L6-v2",
}
#: Beginnings of the names of other models that run in the process: published ones, and those from a folder.
ADDED_MODELS = ("bge-small-en-v1.5", "multilingual-e5-small", "embeddinggemma-300m", "local:")
#: CL-12, by the beginning of the model's name.
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
    """Return how many numbers a vector of this embedding model has (CL-12)."""
    name = model.lower().rpartition("/")[2]
    return next((n for known, n in DIMENSIONS.items() if name.startswith(known)), OTHER_DIMENSIONS)


@section
class AgentSettings(SettingsSection):
    """Who the agent is."""

    IGNORED: ClassVar[frozenset[str]] = frozenset({"updated"})

    name: str = "My Agent"
    description: str = "Personal AI assistant"
    created: str | None = None


@section
class AgentsSettings(SettingsSection):
    """The named agents of this workspace."""

    roster: tuple[RosterAgent, ...] = setting((), accept=roster)


@section
class OpenClawSettings(SettingsSection):
    """The OpenClaw service."""

    SNAKE: ClassVar[bool] = True

    restart_command: str | None = None


@section
class ServicesSettings(SettingsSection):
    """Programs beside us."""

    openclaw: OpenClawSettings = nested(OpenClawSettings)


@section
class SecretsSettings(SettingsSection):
    """What may be done with the vault."""

    allow_read: bool = True
    #: What each of these secrets may be given to; others may be given to every command.
    exec_allow: Mapping[str, tuple[str, ...]] = setting({}, accept=prefixes)


@section
class EmbeddingSettings(SettingsSection):
    """Vectors. `model` and `dimensions` follow the provider unless they are given.

    `native` has all-MiniLM-L6-v2 and the models that `signet models install` adds.
    """

    SNAKE: ClassVar[bool] = True

    provider: EmbeddingProvider = EmbeddingProvider.NATIVE
    model: str = ""
    dimensions: int = setting(0, 1, 4096, parse=from_text)
    #: None is the provider's own address; see `env.Environment.ollama_url`.
    base_url: str | None = setting(None, accept=web_address, also=("endpoint",))
    api_key: str | None = setting(None, is_secret=True)

    def __post_init__(self) -> None:
        is_native = self.provider is EmbeddingProvider.NATIVE
        is_fixed = is_native and not self.model.startswith(ADDED_MODELS)
        model = ("" if is_fixed else self.model) or EMBEDDING_MODELS[self.provider]
        dimensions = dimensions_of(model) if is_fixed else self.dimensions or dimensions_of(model)
        settle(self, model=model, dimensions=dimensions)


@section
class SearchSettings(SettingsSection):
    """Recall. Each key is read by itself (CF-20)."""

    TUNING: ClassVar[bool] = True
    SNAKE: ClassVar[bool] = True
    RETIRED: ClassVar[Mapping[str, tuple[object, str]]] = {
        "reranking": (False, "every candidate is weighed by its words and by its vector")
    }

    #: Numbers of the TypeScript product's ranking; here a fitted model weighs.
    IGNORED: ClassVar[frozenset[str]] = frozenset(
        {"rehearsal_enabled", "rehearsal_weight", "rehearsal_half_life_days"}
    )

    #: Weight of meaning against words.
    alpha: float = setting(0.7, 0, 1, parse=from_text)
    top_k: int = setting(20, 1, 200, parse=from_text)
    min_score: float = setting(0.1, 0, 1, parse=from_text)
    #: Relevance that a result on a page must have; 0 switches the floor off.
    floor: float = setting(0.4, 0, 1, parse=from_text)


@section
class MemorySynthesis(SettingsSection):
    """Keys of the TypeScript product about MEMORY.md (HK-103)."""

    SNAKE: ClassVar[bool] = True
    IGNORED: ClassVar[frozenset[str]] = frozenset({"harness", "model"})

    schedule: Schedule = Schedule.DAILY
    max_tokens: int = setting(4_000, 1, PLENTY)


@section
class MemorySettings(SettingsSection):
    """What is kept and how fast it fades."""

    SNAKE: ClassVar[bool] = True
    #: Taken out before this section is read (`manifest.lifted`); named here as hints for misspelt keys.
    IGNORED: ClassVar[frozenset[str]] = frozenset({"pipelineV2", "embeddings"})
    RETIRED: ClassVar[Mapping[str, tuple[object, str]]] = {
        "database": (
            "memory/memories.db",
            "the database is memory/memories.db, where every program looks for it",
        )
    }

    session_budget_chars: int = setting(2_000, 200, 20_000, key="session_budget")
    #: Per day.
    decay_rate: float = setting(0.95, 0, 1)
    #: Whether secrets are replaced in whatever is stored (text/masking.py).
    mask_secrets: bool = True
    synthesis: MemorySynthesis = nested(MemorySynthesis)


@section
class Retention(SettingsSection):
    """How long things are kept; values also as `30d`, `12h` (CF-21)."""

    interval_ms: int = setting(6 * HOUR_MS, 60_000, CENTURY_MS, parse=milliseconds)
    tombstone_retention_ms: int = setting(30 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    history_retention_ms: int = setting(180 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    completed_job_retention_ms: int = setting(14 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    dead_job_retention_ms: int = setting(30 * DAY_MS, HOUR_MS, CENTURY_MS, parse=milliseconds)
    batch_limit: int = setting(500, 1, 10_000)


@section
class BackupSettings(SettingsSection):
    """The copies that are made without being asked for."""

    daily: bool = True
    #: So many of the daily ones stay.
    keep: int = setting(7, 1, 365)


@section
class RateLimit(SettingsSection):
    """How often one operation may be called; a number that is not positive becomes the default."""

    window_ms: int = setting(60_000, 1, DAY_MS, strict=True)
    max: int = setting(60, 1, PLENTY, strict=True)


@section
class RateLimits(SettingsSection):
    """The operations that are limited outside local mode."""

    forget: RateLimit = nested(RateLimit, max=30)
    modify: RateLimit = nested(RateLimit, max=60)
    batch_forget: RateLimit = nested(RateLimit, max=5)
    force_delete: RateLimit = nested(RateLimit, max=3)
    admin: RateLimit = nested(RateLimit, max=10)


@section
class Auth(SettingsSection):
    """Who may call."""

    mode: AuthMode = setting(AuthMode.LOCAL, flat=("authMode",))
    #: Whose programs on this machine may call without a token, in the modes local and hybrid.
    local_users: LocalUsers = setting(LocalUsers.SAME)
    #: Pages of other programs that may call as one of our own does: `signet trust origin`.
    trusted_origins: tuple[str, ...] = setting((), accept=origins.read)
    default_token_ttl_seconds: int = setting(604_800, 1, CENTURY_SECONDS, strict=True)
    session_token_ttl_seconds: int = setting(86_400, 1, CENTURY_SECONDS, strict=True)
    rate_limits: RateLimits = nested(RateLimits)


@section
class Git(SettingsSection):
    """The workspace as a git repository."""

    enabled: bool = True
    auto_commit: bool = True
    auto_sync: bool = True
    sync_interval_seconds: int = setting(300, 60, 86_400, key="syncInterval")
    remote: str = "origin"
    #: None is found out: the remote's head, the current branch, `main`.
    branch: str | None = None


@section
class Updates(SettingsSection):
    """New versions of the product; nothing is asked of the network unless `auto_check` is set (TK-34)."""

    SNAKE: ClassVar[bool] = True

    auto_check: bool = False
    auto_install: bool = False
    check_interval_seconds: int = setting(21_600, 300, 604_800, key="check_interval")
    channel: UpdateChannel = UpdateChannel.LATEST


@section
class Settings(SettingsSection):
    """Everything agent.yaml says, with defaults for what it leaves out."""

    IGNORED: ClassVar[frozenset[str]] = frozenset(
        {"version", "schema", "configVersion", "owner", "install", "identity", "trust"}
    )

    agent: AgentSettings = nested(AgentSettings)
    #: Connectors to keep installed.
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
    pipeline: Pipeline = nested(Pipeline, key="pipelineV2")
    hooks: Hooks = nested(Hooks)
    auth: Auth = nested(Auth)
    git: Git = nested(Git)
    updates: Updates = nested(Updates)
