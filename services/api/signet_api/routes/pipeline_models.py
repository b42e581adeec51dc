"""Which models can be chosen to read texts."""

import math
from dataclasses import asdict

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from signet import clock
from signet.providers import chosen
from signet.providers.registry import TextSettings
from signet_api.deps import Shared, State
from signet_api.errors import answer

router = APIRouter(prefix="/api/pipeline/models", tags=["pipeline"])


@router.get("")
async def get_models(request: Request, state: Shared) -> dict[str, object]:
    """Return the models that can be offered, of every provider or of one; with `deprecated=true` replaced ones too."""
    _look(state)
    params = request.query_params
    known = state.models.by_provider(deprecated=params.get("deprecated") == "true")
    provider = params.get("provider")
    return {
        "models": [
            asdict(one)
            for name, models in known.items()
            if not provider or name == provider
            for one in models
        ],
        "registry": _registry(state),
    }


@router.get("/by-provider")
async def get_models_by_provider(state: Shared) -> dict[str, object]:
    """Return the models of each provider, those that were replaced too."""
    _look(state)
    return _by_provider(state)


@router.post("/refresh")
async def post_refresh(state: Shared) -> JSONResponse:
    """Ask the configured Ollama server for its models, once a minute at most; no other provider is asked."""
    left = None
    if state.settings.pipeline.model_registry.enabled:
        left = await state.models.refresh(_asked(state))
    facts = {
        "models": _by_provider(state),
        "registry": _registry(state),
        "throttled": left is not None,
    }
    if left is None:
        return JSONResponse(facts)
    seconds = math.ceil(left)
    return answer(
        429,
        f"The list was refreshed a moment ago; again in {seconds} s",
        "rate_limited",
        facts=facts,
        headers={"retry-after": str(seconds)},
    )


def _look(state: State) -> None:
    settings = state.settings.pipeline.model_registry
    if settings.enabled:
        state.models.look(_asked(state), interval_seconds=settings.refresh_interval_ms / 1_000)


def _asked(state: State) -> TextSettings:
    return chosen.text_settings(state.settings, state.live.loaded.environment)


def _by_provider(state: State) -> dict[str, object]:
    known = state.models.by_provider()
    return {name: [asdict(one) for one in models] for name, models in known.items()}


def _registry(state: State) -> dict[str, object]:
    last = state.models.refreshed
    return {
        "enabled": state.settings.pipeline.model_registry.enabled,
        "lastRefreshAt": clock.to_text(last.at) if last else None,
        "error": last.fault if last else None,
        "modelCounts": {name: len(models) for name, models in state.models.by_provider().items()},
    }
