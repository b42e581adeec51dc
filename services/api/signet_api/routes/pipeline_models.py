"""Which models can be chosen to read texts."""

import math
from dataclasses import asdict
from itertools import chain
from typing import cast

from fastapi import Response

from signet import clock
from signet.providers import chosen
from signet.providers.registry import TextSettings
from signet.wire import pipeline as wire
from signet.wire.pipeline import ModelRegistry, Models, OfferedModel, RefreshedModels
from signet.wire.requests.model import Text
from signet_api.deps import Shared, State
from signet_api.errors import answer
from signet_api.serving import serves


@serves(wire.MODELS)
async def get_models(state: Shared, provider: Text = None, deprecated: Text = None) -> Models:
    """Return the models that can be offered, of every provider or of one; with `deprecated=true` replaced ones too."""
    _look(state)
    known = _by_provider(state, deprecated=deprecated == "true")
    chosen_from = known.values() if provider is None else [known.get(provider, [])]
    return {"models": [*chain.from_iterable(chosen_from)], "registry": _registry(state)}


@serves(wire.MODELS_BY_PROVIDER)
async def get_models_by_provider(state: Shared) -> dict[str, list[OfferedModel]]:
    """Return the models of each provider, those that were replaced too."""
    _look(state)
    return _by_provider(state)


@serves(wire.REFRESH_MODELS)
async def post_refresh(state: Shared) -> RefreshedModels | Response:
    """Ask the configured Ollama server for its models, once a minute at most; no other provider is asked."""
    left = None
    if state.settings.pipeline.model_registry.enabled:
        left = await state.models.refresh(_asked(state))
    found: RefreshedModels = {
        "models": _by_provider(state),
        "registry": _registry(state),
        "throttled": left is not None,
    }
    if left is None:
        return found
    seconds = math.ceil(left)
    return answer(
        429,
        f"The list was refreshed a moment ago; again in {seconds} s",
        "rate_limited",
        facts=found,
        headers={"retry-after": str(seconds)},
    )


def _look(state: State) -> None:
    settings = state.settings.pipeline.model_registry
    if settings.enabled:
        state.models.look(_asked(state), interval_seconds=settings.refresh_interval_ms / 1_000)


def _asked(state: State) -> TextSettings:
    return chosen.text_settings(state.settings, state.live.loaded.environment)


def _by_provider(state: State, *, deprecated: bool = True) -> dict[str, list[OfferedModel]]:
    known = state.models.by_provider(deprecated=deprecated)
    return {
        name: [cast("OfferedModel", asdict(one)) for one in models]
        for name, models in known.items()
    }


def _registry(state: State) -> ModelRegistry:
    last = state.models.refreshed
    return {
        "enabled": state.settings.pipeline.model_registry.enabled,
        "lastRefreshAt": clock.to_text(last.at) if last else None,
        "error": last.fault if last else None,
        "modelCounts": {name: len(models) for name, models in state.models.by_provider().items()},
    }
