"""The `pipelineV2` section: extraction, linking, retention and maintenance of memories.

Older files have many of these keys directly under `pipelineV2`; both forms are accepted. Nested keys take
precedence, except provider, model and strength of extraction, which older dashboards wrote flat.
"""

from dataclasses import replace
from enum import StrEnum

from signet.config.extraction import ExtractionSettings, TextProvider, text_model_of
from signet.config.fields import SettingsSection, nested, section, setting, settle
from signet.config.values import web_address


class MaintenanceMode(StrEnum):
    EXECUTE = "execute"
    OBSERVE = "observe"


@section
class WriteGateSettings(SettingsSection):
    """Skip facts that add little. Surprise is 1 minus the similarity to the nearest memory."""

    enabled: bool = False
    min_surprise: float = setting(0.4, 0, 1)
    #: In an active project, consecutive statements are similar.
    min_surprise_continuing: float = setting(0.25, 0, 1)


@section
class Threads(SettingsSection):
    """Concurrent jobs per queue."""

    llm: int = setting(4, 1, 32)
    hints: int = setting(1, 1, 32)
    structure: int = setting(1, 1, 32)
    sessions: int = setting(2, 1, 32)
    ingest: int = setting(1, 1, 32)
    vectors: int = setting(1, 1, 32)
    light: int = setting(2, 1, 32)
    repairs: int = setting(1, 1, 32)
    tasks: int = setting(3, 1, 32)


@section
class Worker(SettingsSection):
    """Leases and retries of jobs."""

    max_retries: int = setting(3, 1, 10, flat=("workerMaxRetries",))
    #: Longer than the slowest usual model call; a shorter lease would run jobs twice.
    lease_timeout_ms: int = setting(300_000, 10_000, 600_000, flat=("leaseTimeoutMs",))
    threads: Threads = nested(Threads)


@section
class GraphSettings(SettingsSection):
    enabled: bool = setting(True, flat=("graphEnabled",))


@section
class TraversalSettings(SettingsSection):
    """Limits of graph walks."""

    enabled: bool = True
    max_aspects_per_entity: int = setting(10, 1, 100)
    max_attributes_per_aspect: int = setting(20, 1, 200)
    max_dependency_hops: int = setting(10, 1, 200)
    min_dependency_strength: float = setting(0.3, 0, 1)
    max_branching: int = setting(4, 1, 50)
    max_traversal_paths: int = setting(50, 1, 1_000)
    min_confidence: float = setting(0.5, 0, 1)
    timeout_ms: int = setting(500, 50, 5_000)
    constraint_budget_chars: int = setting(1_000, 200, 10_000)


@section
class Hints(SettingsSection):
    """Questions that a memory answers."""

    enabled: bool = True
    max: int = setting(5, 1, 20)
    timeout_ms: int = setting(30_000, 5_000, 120_000, key="timeout")
    max_tokens: int = setting(256, 32, 1_024)


@section
class Autonomous(SettingsSection):
    """Automatic changes."""

    enabled: bool = setting(True, flat=("autonomousEnabled",))
    frozen: bool = setting(False, flat=("autonomousFrozen",))
    allow_update_delete: bool = setting(False, flat=("allowUpdateDelete",))
    maintenance_interval_ms: int = setting(
        1_800_000, 60_000, 86_400_000, flat=("maintenanceIntervalMs",)
    )
    maintenance_mode: MaintenanceMode = setting(MaintenanceMode.EXECUTE, flat=("maintenanceMode",))


@section
class Repair(SettingsSection):
    """Rate and size limits of repairs."""

    reembed_cooldown_ms: int = setting(
        300_000, 10_000, 3_600_000, flat=("repairReembedCooldownMs",)
    )
    reembed_hourly_budget: int = setting(10, 1, 1_000, flat=("repairReembedHourlyBudget",))
    requeue_cooldown_ms: int = setting(60_000, 5_000, 3_600_000, flat=("repairRequeueCooldownMs",))
    requeue_hourly_budget: int = setting(50, 1, 1_000, flat=("repairRequeueHourlyBudget",))
    dedup_cooldown_ms: int = setting(600_000, 10_000, 3_600_000, flat=("repairDedupCooldownMs",))
    dedup_hourly_budget: int = setting(3, 1, 100, flat=("repairDedupHourlyBudget",))
    dedup_semantic_threshold: float = setting(0.92, 0, 1, flat=("repairDedupSemanticThreshold",))
    dedup_batch_size: int = setting(100, 10, 1_000, flat=("repairDedupBatchSize",))


@section
class Documents(SettingsSection):
    """Documents, split into chunks. The overlap is shorter than the chunk."""

    chunk_size: int = setting(2_000, 200, 50_000, flat=("documentChunkSize",))
    chunk_overlap: int = setting(200, 0, 10_000, flat=("documentChunkOverlap",))
    max_content_bytes: int = setting(
        10_485_760, 1_024, 104_857_600, flat=("documentMaxContentBytes",)
    )
    #: Allow fetching pages from this machine and its network, which trust internal clients.
    allow_private_networks: bool = False

    def __post_init__(self) -> None:
        settle(self, chunk_overlap=min(self.chunk_overlap, self.chunk_size - 1))


@section
class Guardrails(SettingsSection):
    """Size limits of a memory."""

    max_content_chars: int = setting(800, 50, 100_000)
    chunk_target_chars: int = setting(600, 50, 50_000)
    recall_truncate_chars: int = setting(500, 50, 100_000)


@section
class ContinuitySettings(SettingsSection):
    """Checkpoints of an active session."""

    enabled: bool = True
    prompt_interval: int = setting(10, 1, 1_000)
    time_interval_ms: int = setting(900_000, 60_000, 3_600_000)
    max_checkpoints_per_session: int = setting(50, 1, 500)
    retention_days: int = setting(7, 1, 90)
    recovery_budget_chars: int = setting(2_000, 200, 10_000)


@section
class Telemetry(SettingsSection):
    """Local events; never sent elsewhere, whatever ignored keys say (CF-32)."""

    flush_interval_ms: int = setting(60_000, 5_000, 600_000)
    flush_batch_size: int = setting(50, 1, 500)
    retention_days: int = setting(90, 1, 365)
    #: OpenTelemetry collector for traces, which contain no texts (observe/tracing.py).
    otlp_endpoint: str | None = setting(None, accept=web_address)


@section
class EmbeddingTracker(SettingsSection):
    enabled: bool = True
    poll_ms: int = setting(5_000, 1_000, 60_000)


@section
class Synthesis(SettingsSection):
    """How MEMORY.md is generated. `auto` uses extraction's provider, model and endpoint."""

    provider: TextProvider = TextProvider.AUTO
    model: str = ""
    endpoint: str | None = setting(None, accept=web_address)
    enabled: bool = True
    timeout_ms: int = setting(120_000, 5_000, 300_000, key="timeout")
    max_tokens: int = setting(8_000, 1_000, 32_000, also=("max_tokens",))
    idle_gap_minutes: int = setting(15, 1, 1_440)


@section
class Procedural(SettingsSection):
    enabled: bool = True
    decay_rate: float = setting(0.99, 0, 1)
    min_importance: float = setting(0.3, 0, 1)
    importance_on_install: float = setting(0.7, 0, 1)
    enrich_on_install: bool = True
    enrich_min_description: int = setting(30, 10, 500)
    reconcile_interval_ms: int = setting(60_000, 10_000, 600_000)


@section
class Structural(SettingsSection):
    enabled: bool = True
    classify_batch_size: int = setting(8, 1, 20)
    dependency_batch_size: int = setting(5, 1, 10)
    poll_interval_ms: int = setting(10_000, 2_000, 120_000)
    synthesis_enabled: bool = False
    synthesis_interval_ms: int = setting(60_000, 10_000, 600_000)
    synthesis_top_entities: int = setting(20, 1, 100)
    synthesis_max_facts: int = setting(10, 1, 50)
    supersession_enabled: bool = True
    supersession_sweep_enabled: bool = True
    supersession_min_confidence: float = setting(0.7, 0, 1)


@section
class FeedbackSettings(SettingsSection):
    """How use changes aspect weights. The minimum never exceeds the maximum."""

    enabled: bool = True
    decay_enabled: bool = True
    fts_weight_delta: float = setting(0.02, 0, 1)
    max_aspect_weight: float = setting(1.0, 0, 1)
    min_aspect_weight: float = setting(0.1, 0, 1)
    decay_rate: float = setting(0.005, 0, 1)
    stale_days: int = setting(14, 1, 365)
    decay_interval_sessions: int = setting(10, 1, 1_000)

    def __post_init__(self) -> None:
        settle(self, min_aspect_weight=min(self.min_aspect_weight, self.max_aspect_weight))


@section
class Significance(SettingsSection):
    """When a session is processed."""

    enabled: bool = True
    min_turns: int = setting(5, 1, 100)
    min_entity_overlap: int = setting(1, 0, 100)
    novelty_threshold: float = setting(0.15, 0, 1)


@section
class Predictor(SettingsSection):
    """Learned ranking, which takes effect once proven better."""

    enabled: bool = True
    drift_reset_window: int = setting(10, 1, 100)
    #: Share of sessions without unasked memories, for comparison; set by `signet eval on`.
    holdout_share: float = setting(0.0, 0, 0.5)

    @property
    def held_out(self) -> float:
        """Return the share of held-out sessions; 0 while learning is off."""
        return self.holdout_share if self.enabled else 0.0


@section
class PredictorPipeline(SettingsSection):
    """Sources of learned ranking."""

    agent_feedback: bool = True


@section
class ModelRegistrySettings(SettingsSection):
    """The list of available models."""

    enabled: bool = True
    refresh_interval_ms: int = setting(3_600_000, 60_000, 86_400_000)


@section
class Pipeline(SettingsSection):
    """Background work. `mutations_frozen` takes precedence over `shadow_mode`; `enabled: false` creates and takes no
    jobs.
    """

    enabled: bool = True
    shadow_mode: bool = False
    mutations_frozen: bool = False
    semantic_contradiction_enabled: bool = True
    semantic_contradiction_timeout_ms: int = setting(45_000, 5_000, 300_000)
    telemetry_enabled: bool = True
    extraction: ExtractionSettings = nested(ExtractionSettings)
    write_gate: WriteGateSettings = nested(WriteGateSettings)
    worker: Worker = nested(Worker)
    graph: GraphSettings = nested(GraphSettings)
    traversal: TraversalSettings = nested(TraversalSettings)
    hints: Hints = nested(Hints)
    autonomous: Autonomous = nested(Autonomous)
    repair: Repair = nested(Repair)
    documents: Documents = nested(Documents)
    guardrails: Guardrails = nested(Guardrails)
    continuity: ContinuitySettings = nested(ContinuitySettings)
    telemetry: Telemetry = nested(Telemetry)
    embedding_tracker: EmbeddingTracker = nested(EmbeddingTracker)
    synthesis: Synthesis = nested(Synthesis)
    procedural: Procedural = nested(Procedural)
    structural: Structural = nested(Structural)
    feedback: FeedbackSettings = nested(FeedbackSettings)
    significance: Significance = nested(Significance)
    predictor: Predictor = nested(Predictor)
    predictor_pipeline: PredictorPipeline = nested(PredictorPipeline)
    model_registry: ModelRegistrySettings = nested(ModelRegistrySettings)

    def __post_init__(self) -> None:
        settle(self, synthesis=_as_extraction(self.synthesis, self.extraction))


def _as_extraction(synthesis: Synthesis, extraction: ExtractionSettings) -> Synthesis:
    """Fill unset values of synthesis from extraction."""
    auto = synthesis.provider is TextProvider.AUTO
    provider = extraction.provider if auto else synthesis.provider
    if provider is not extraction.provider:
        return replace(synthesis, model=synthesis.model or text_model_of(provider))
    return replace(
        synthesis,
        provider=provider,
        model=synthesis.model or extraction.model,
        endpoint=synthesis.endpoint or extraction.endpoint,
    )
