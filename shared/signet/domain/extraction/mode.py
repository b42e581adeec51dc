"""How far the pipeline may go, by the settings; without the rules of extraction, which only the worker needs."""

from enum import StrEnum

from signet.config import Settings


class Mode(StrEnum):
    """How far the pipeline may go; the strings are what /api/pipeline/status shows."""

    DISABLED = "disabled"
    FROZEN = "frozen"
    SHADOW = "shadow"
    CONTROLLED_WRITE = "controlled-write"


def mode_of(settings: Settings) -> Mode:
    """Return how far the pipeline may go."""
    pipeline = settings.pipeline
    if not pipeline.enabled:
        return Mode.DISABLED
    if pipeline.mutations_frozen:
        return Mode.FROZEN
    return Mode.SHADOW if pipeline.shadow_mode else Mode.CONTROLLED_WRITE
