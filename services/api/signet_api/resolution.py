"""Configured, resolved and effective providers, from settings and rows."""

from signet.config import Settings
from signet.db import ReadTx
from signet.domain.extraction.models import Mode, mode_of
from signet.providers import chosen, registry, resolved
from signet.providers.registry import TextSettings
from signet.providers.resolved import Part
from signet.queue import pauses, stats
from signet_api.deps import State

#: Circuit breakers of text and vector jobs.
TEXTS, VECTORS = "llm", "vectors"


def told(tx: ReadTx, state: State) -> dict[str, dict[str, object]]:
    """Return configured, resolved and effective provider of each part of the pipeline, with reasons."""
    settings, environment = state.settings, state.live.loaded.environment
    embedding = settings.embedding
    parts: dict[str, tuple[str, str, dict[str, object], str]] = {}
    for part, wanted in (
        (Part.EXTRACTION, chosen.text_settings(settings, environment)),
        (Part.SYNTHESIS, chosen.synthesis_settings(settings, environment)),
    ):
        parts[part] = (wanted.provider, wanted.model, _text(tx, part, wanted), TEXTS)
    vectors: dict[str, object] = {
        "resolved": str(embedding.provider),
        "reason": None,
        "since": None,
    }
    parts["embedding"] = (embedding.provider, embedding.model, vectors, VECTORS)
    return {
        part: {
            "provider": provider,
            "model": model,
            "configured": provider,
            **_standing(tx, settings, found, breaker),
        }
        for part, (provider, model, found, breaker) in parts.items()
    }


def _text(tx: ReadTx, part: Part, wanted: TextSettings) -> dict[str, object]:
    """Return the resolved provider; only the worker can resolve `auto`."""
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
    if pauses.is_paused(tx):
        return found | {"effective": provider, "status": "paused"}
    stopped = next((one for one in stats.breakers(tx) if one.name == breaker), None)
    if stopped is not None and provider != registry.RULES:
        why = {"reason": stopped.error, "since": stopped.since}
        return found | {"effective": registry.NONE, "status": "blocked", **why}
    return found | {"effective": provider, "status": "active" if provider else "unknown"}
