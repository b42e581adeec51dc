"""Which models can be chosen, and who is asked for them."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from signet.config.extraction import TEXT_MODELS, TextProvider
from signet.providers.registry import TextSettings
from signet_api.probe import Models
from support.http import Api
from support.models import FakeServer, fake_ollama
from support.processes import eventually

HERE = "http://127.0.0.1"


@pytest.fixture
def ollama() -> Iterator[FakeServer]:
    with fake_ollama(models=["phi:latest", "qwen3:4b"]) as server:
        yield server


def reading(api: Api, provider: str, url: str = "") -> None:
    """Configure who reads texts, and where; a server that is not there when nothing is said."""
    endpoint = f", endpoint: {url or f'{HERE}:9'}"
    api.configure(f"memory: {{pipelineV2: {{extraction: {{provider: {provider}{endpoint}}}}}}}\n")


def models(api: Api, query: str = "") -> list[dict[str, Any]]:
    answer = api.get(f"/api/pipeline/models{query}")
    assert answer.status == 200, answer.body
    return list(answer.body["models"])


def names(api: Api, query: str = "") -> list[str]:
    return [str(model["id"]) for model in models(api, query)]


def test_every_provider_has_the_model_that_it_uses_when_none_is_named(api: Api) -> None:
    reading(api, "rules")
    by_provider = api.get("/api/pipeline/models/by-provider").body
    for provider, model in TEXT_MODELS.items():
        assert model in [one["id"] for one in by_provider[provider]]
    assert TextProvider.OLLAMA in by_provider
    for provider, rows in by_provider.items():
        assert {row["provider"] for row in rows} == {provider}
        assert {row["tier"] for row in rows} <= {"low", "mid", "high"}
        assert len({row["id"] for row in rows}) == len(rows)


def test_one_provider_and_replaced_models_can_be_asked_for(api: Api) -> None:
    reading(api, "rules")
    usual = names(api, "?provider=anthropic")
    every = models(api, "?provider=anthropic&deprecated=true")
    assert usual == [row["id"] for row in every if not row["deprecated"]]
    assert len(usual) < len(every)
    assert {row["provider"] for row in every} == {"anthropic"}
    assert names(api, "?provider=nobody") == []
    counts = api.get("/api/pipeline/models").body["registry"]["modelCounts"]
    assert counts["anthropic"] == len(every)


def test_the_list_of_the_configured_server_is_fetched_once_a_minute(
    api: Api, ollama: FakeServer
) -> None:
    reading(api, "ollama", ollama.url)
    first = api.post("/api/pipeline/models/refresh")
    assert (first.status, first.body["throttled"]) == (200, False)
    assert [one["id"] for one in first.body["models"]["ollama"]] == ["phi:latest", "qwen3:4b"]
    assert first.body["registry"]["lastRefreshAt"] and first.body["registry"]["error"] is None
    second = api.post("/api/pipeline/models/refresh")
    assert (second.status, second.body["throttled"]) == (429, True)
    assert 0 < int(second.headers["retry-after"]) <= 60
    assert second.body["error"] and second.body["models"] == first.body["models"]
    assert len(ollama.requests) == 1
    assert names(api, "?provider=ollama") == ["phi:latest", "qwen3:4b"]
    assert len(ollama.requests) == 1


def test_a_read_does_not_wait_for_the_server_and_a_later_one_has_its_list(
    api: Api, ollama: FakeServer
) -> None:
    reading(api, "auto", ollama.url)
    assert names(api, "?provider=ollama") == ["qwen3:4b"]
    eventually(lambda: names(api, "?provider=ollama") == ["phi:latest", "qwen3:4b"])
    assert len(ollama.requests) == 1


def test_the_last_list_stays_when_the_server_has_gone_and_goes_with_its_address() -> None:
    async def scene() -> None:
        known = Models()
        with fake_ollama(models=["phi:latest"]) as server:
            here = TextSettings(
                provider="ollama", model="x", endpoint=None, api_key=None, ollama_url=server.url
            )
            assert await known.refresh(here) is None
        known.refresh_if_old(here, interval_seconds=0)
        assert known.asking is not None
        await known.asking
        assert known.refreshed is not None and known.refreshed.fault
        assert [one["id"] for one in known.by_provider()["ollama"]] == ["phi:latest", "qwen3:4b"]
        known.refresh_if_old(replace(here, provider="rules"), interval_seconds=3_600)
        await known.asking
        assert known.refreshed.fault is None
        assert [one["id"] for one in known.by_provider()["ollama"]] == ["qwen3:4b"]

    asyncio.run(scene())


@pytest.mark.parametrize("provider", ["rules", "none", "openai", "anthropic"])
def test_a_server_is_not_asked_when_another_provider_is_configured(
    api: Api, ollama: FakeServer, provider: str
) -> None:
    reading(api, provider, ollama.url)
    assert api.post("/api/pipeline/models/refresh").status == 200
    assert ollama.requests == []


def test_nobody_is_asked_when_the_registry_is_off(api: Api, ollama: FakeServer) -> None:
    api.configure(
        "memory: {pipelineV2: {modelRegistry: {enabled: false},"
        f" extraction: {{provider: ollama, endpoint: '{ollama.url}'}}}}}}\n"
    )
    assert api.post("/api/pipeline/models/refresh").status == 200
    answer = api.get("/api/pipeline/models").body
    assert answer["models"] and answer["registry"]["enabled"] is False
    assert ollama.requests == []
