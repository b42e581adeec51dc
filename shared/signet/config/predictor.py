"""The sections of learned ranking, below `pipelineV2`."""

from signet.config.fields import Section, flag, integer, optional_text, real, section


@section
class Predictor(Section):
    """Learned ranking; off until there is a scorer."""

    enabled: bool = flag(False)
    train_interval_sessions: int = integer(10, 1, 1_000)
    min_training_sessions: int = integer(10, 1, 1_000)
    score_timeout_ms: int = integer(120, 10, 10_000)
    train_timeout_ms: int = integer(30_000, 1_000, 120_000)
    crash_disable_threshold: int = integer(3, 1, 20)
    rrf_k: int = integer(12, 1, 100)
    exploration_rate: float = real(0.05, 0, 1)
    drift_reset_window: int = integer(10, 1, 100)
    binary_path: str | None = optional_text()
    checkpoint_path: str | None = optional_text()


@section
class PredictorPipeline(Section):
    """What learned ranking may learn from."""

    agent_feedback: bool = flag(True)
    training_telemetry: bool = flag(False)
