"""The section `pipelineV2.extraction`, and text models."""

from enum import StrEnum

from signet.config.fields import SettingsSection, nested, section, setting, settle
from signet.config.values import web_address


class TextProvider(StrEnum):
    """Text providers. `auto`: the configured local model if available, else the built-in rules."""

    AUTO = "auto"
    RULES = "rules"
    OLLAMA = "ollama"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    OPENCODE = "opencode"
    NONE = "none"


class Strength(StrEnum):
    """Thoroughness of extraction."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


#: Default models (CL-11); hosted providers never receive a local model's name.
TEXT_MODELS = {
    TextProvider.CLAUDE_CODE: "haiku",
    TextProvider.CODEX: "gpt-5.3-codex",
    TextProvider.OPENCODE: "anthropic/claude-haiku-4-5-20251001",
    TextProvider.ANTHROPIC: "claude-haiku-4-5-20251001",
    TextProvider.OPENAI: "gpt-4o-mini",
}
LOCAL_TEXT_MODEL = "qwen3:4b"


def text_model_of(provider: TextProvider) -> str:
    """Return the default model of a provider (CL-11)."""
    return TEXT_MODELS.get(provider, LOCAL_TEXT_MODEL)


@section
class Escalation(SettingsSection):
    """Thresholds for a second, more thorough extraction."""

    max_new_entities_per_chunk: int = setting(10, 1, 100)
    max_new_attributes_per_entity: int = setting(20, 1, 200)
    level2_max_entities: int = setting(5, 1, 50)


@section
class ExtractionSettings(SettingsSection):
    """Extraction of facts. `model` defaults to the provider's."""

    #: Never remote by default: `auto` uses the configured local model, else the rules.
    provider: TextProvider = setting(
        TextProvider.AUTO, flat=("extractionProvider",), flat_wins=True
    )
    model: str = setting("", flat=("extractionModel",), flat_wins=True)
    strength: Strength = setting(Strength.LOW, flat=("extractionStrength",), flat_wins=True)
    #: None: the provider's default address; see `env.Environment.ollama_url`.
    endpoint: str | None = setting(
        None,
        accept=web_address,
        also=("base_url",),
        flat=("extractionEndpoint", "extractionBaseUrl"),
    )
    api_key: str | None = setting(None, also=("api_key",), is_secret=True)
    timeout_ms: int = setting(90_000, 5_000, 300_000, key="timeout", flat=("extractionTimeout",))
    min_confidence: float = setting(0.7, 0, 1, flat=("minFactConfidenceForWrite",))
    #: For paid providers, per clock hour; 0 is unlimited.
    max_calls_per_hour: int = setting(1_000, 0, 1_000_000)
    max_tokens_per_hour: int = setting(2_000_000, 0, 1_000_000_000)
    escalation: Escalation = nested(Escalation)

    def __post_init__(self) -> None:
        settle(self, model=self.model or text_model_of(self.provider))
