"""Models behind OpenAI's chat and embedding API, from OpenAI and compatible servers."""

import contextlib
from collections.abc import Mapping, Sequence

from signet.errors import ProviderDown, ProviderFailed
from signet.net.http import host_of
from signet.providers.capacity import Capacity
from signet.providers.exchange import Exchange
from signet.providers.ports import Completion, Shape
from signet.providers.served import Served, ServedEmbedder
from signet.providers.vectors import EMBED_SECONDS
from signet.text.json_text import Json, as_object, first_object

BASE_URL = "https://api.openai.com/v1"
VENDOR_HOST = "api.openai.com"
#: OpenAI's models of this family shorten their vectors to a requested length.
SHORTENING_FAMILY = "text-embedding-3"

PROBE_SECONDS = 5.0

#: What servers call the context size in their lists of models (vLLM, OpenRouter, Groq, LM Studio).
_SIZES = ("max_model_len", "loaded_context_length", "context_length", "context_window")

#: Statuses of servers that list no models; they may still work.
NO_LIST = frozenset({404, 405})


class _OpenAI(Served):
    """Common part of text and embedding models: whether the server answers and accepts the key."""

    def __init__(self, url: str, model: str, api_key: str | None) -> None:
        self.is_vendor = host_of(url) == VENDOR_HOST
        key = f"{VENDOR_HOST} requires a key (api_key or OPENAI_API_KEY)"
        needs_key = key if self.is_vendor else None
        super().__init__("openai", url, model, api_key=api_key, needs_key=needs_key)

    def fault(self) -> str | None:
        """Return why the server cannot be used, None if it can; never raises."""
        return "Missing OpenAI API key" if self.lacks_key else super().fault()

    def probe(self) -> str | None:
        """Return None if the server answers, with or without a list of models."""
        try:
            self.exchange.get("/models", timeout_seconds=PROBE_SECONDS)
        except ProviderFailed as error:
            if error.facts.get("status") not in NO_LIST:
                raise
        return None


class OpenAIModel(_OpenAI):
    """A language model behind `{url}/chat/completions`."""

    def __init__(self, url: str, model: str, *, api_key: str | None = None) -> None:
        super().__init__(url, model, api_key)
        self.address = url.rstrip("/")
        # OpenAI's newer models refuse the old name, compatible servers do not know the new one.
        self._limit_name = "max_completion_tokens" if self.is_vendor else "max_tokens"

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer to one user message."""
        payload = {
            "messages": [{"role": "user", "content": prompt}],
            self._limit_name: self.room(prompt, max_tokens),
            "stream": not self.is_vendor,
        }
        answer = self.post(
            "/chat/completions",
            payload,
            timeout_seconds=timeout_seconds,
            silence_seconds=self.silence(prompt, max_tokens),
            # Some servers do not support schemas, and OpenAI's reasoning models refuse a temperature.
            wishes=[
                *([] if self.is_vendor else [{"stream_options": {"include_usage": True}}]),
                *([] if shape is None else [_as_format(shape), {"temperature": 0}]),
            ],
        )
        usage = as_object(answer.get("usage"))
        choice = first_object(answer.get("choices"))
        read = usage.get("prompt_tokens")
        self.server.counted(prompt, read if isinstance(read, int) else None)
        return self.exchange.completion(
            as_object(choice.get("message")).get("content"),
            read,
            usage.get("completion_tokens"),
            end=choice.get("finish_reason"),
        )

    def ask_capacity(self) -> Capacity:
        """Ask for the context size: in the list of models, else where llama.cpp and LM Studio state it."""
        if self.is_vendor:
            return Capacity()
        size = _size_in(self._rows("/models"), self.model)
        with contextlib.closing(
            Exchange(self.name, self.address.removesuffix("/v1"), api_key=self.api_key)
        ) as root:
            with contextlib.suppress(ProviderDown, ProviderFailed):
                props = root.get("/props", timeout_seconds=PROBE_SECONDS)
                slots = props.get("total_slots")
                usual = as_object(props.get("default_generation_settings")).get("n_ctx")
                return Capacity(
                    context_tokens=usual if isinstance(usual, int) and usual > 0 else size,
                    slots=slots if isinstance(slots, int) and slots > 0 else None,
                )
            if size is None:
                found = root.get("/api/v0/models", timeout_seconds=PROBE_SECONDS)
                size = _size_in(_listed(found), self.model)
        return Capacity(context_tokens=size)

    def _rows(self, path: str) -> list[Json]:
        return _listed(self.exchange.get(path, timeout_seconds=PROBE_SECONDS))


class OpenAIEmbedder(_OpenAI, ServedEmbedder):
    """An embedding model behind `{url}/embeddings`."""

    def __init__(
        self, url: str, model: str, *, dimensions: int, api_key: str | None = None
    ) -> None:
        super().__init__(url, model, api_key)
        self.dimensions = dimensions

    def rows(self, texts: list[str]) -> object:
        payload: dict[str, object] = {"input": texts}
        if self.model.startswith(SHORTENING_FAMILY):
            payload["dimensions"] = self.dimensions
        answer = self.post("/embeddings", payload, timeout_seconds=EMBED_SECONDS)
        return _in_order(answer.get("data"))


def _listed(answer: Mapping[str, object]) -> list[Json]:
    data = answer.get("data")
    return [as_object(one) for one in data] if isinstance(data, list) else []


def _size_in(rows: Sequence[Json], model: str) -> int | None:
    """Return the context size of a model in a list of models, None if it is not stated."""
    sizes = [row.get(name) for row in rows if row.get("id") == model for name in _SIZES]
    return next((size for size in sizes if isinstance(size, int) and size > 0), None)


def _as_format(shape: Shape) -> Mapping[str, object]:
    schema = {"name": "answer", "schema": shape}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _in_order(data: object) -> object:
    """Return the vectors in the order of the texts, given by `index` and not by position."""
    if not isinstance(data, list):
        return None
    by_place: dict[int, object] = {}
    for place, row in enumerate(map(as_object, data)):
        told = row.get("index")
        by_place[told if isinstance(told, int) else place] = row.get("embedding")
    return [by_place.get(place) for place in range(len(data))]
