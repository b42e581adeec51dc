"""Which provider is configured, which one that comes to, and whether it works: from settings and rows alone."""

from signet.config import Settings
from signet.db import ReadTx
from signet.domain.extraction.apply import Mode
from signet.domain.extraction.pipeline import mode_of
from signet.providers import chosen, registry, resolved
from signet.providers.registry import TextSettings
from signet.providers.resolved import Part
from signet.queue import console, stats
from signet_api.deps import State

#: The breakers behind which jobs of texts and of vectors wait.
TEXTS, VECTORS = "llm", "vectors"


def told(tx: ReadTx, state: State) -> dict[str, dict[str, object]]:
    """Return for each part of the pipeline its configured, resolved and effective provider, and why."""
    settings, environment = state.settings, state.live.loaded.environment
    embedding = settings.embedding
    vectors = {"resolved": embedding.provider, "reason": None, "since": None}
    extraction = chosen.text_settings(settings, environment)
    synthesis = chosen.synthesis_settings(settings, environment)
    named = {
        Part.EXTRACTION.value: (extraction, _text(tx, Part.EXTRACTION, extraction), TEXTS),
        Part.SYNTHESIS.value: (synthesis, _text(tx, Part.SYNTHESIS, synthesis), TEXTS),
        "embedding": (embedding, vectors, VECTORS),
    }
    return {
        part: {
            "provider": wanted.provider,
            "model": wanted.model,
            "configured": wanted.provider,
            **_standing(tx, settings, found, breaker),
        }
        for part, (wanted, found, breaker) in named.items()
    }


def _text(tx: ReadTx, part: Part, wanted: TextSettings) -> dict[str, object]:
    """Return the provider that the settings come to; what `auto` comes to only the worker knows."""
    if wanted.provider != registry.AUTO:
        found = registry.resolve(wanted, lambda _: False)
        return {"resolved": found.effective, "reason": found.reason, "since": None}
    kept = resolved.read(tx, part)
    if kept is None or not kept.is_about(wanted):
        why = "the worker finds out with its first job"
        return {"resolved": None, "reason": why, "since": None}
    return {"resolved": kept.effective, "reason": kept.reason, "since": kept.since}


def _standing(
    tx: ReadTx, settings: Settings, found: dict[str, object], breaker: str
) -> dict[str, object]:
    provider = found["resolved"]
    if mode_of(settings) is Mode.DISABLED:
        off = {"effective": registry.NONE, "status": "disabled", "reason": "the pipeline is off"}
        return found | off
    if provider == registry.NONE:
        return found | {"effective": provider, "status": "disabled"}
    if console.is_paused(tx):
        return found | {"effective": provider, "status": "paused"}
    stopped = next((one for one in stats.breakers(tx) if one.name == breaker), None)
    if stopped is not None and provider != registry.RULES:
        why = {"reason": stopped.error, "since": stopped.since}
        return found | {"effective": registry.NONE, "status": "blocked", **why}
    return found | {"effective": provider, "status": "active" if provider else "unknown"}
