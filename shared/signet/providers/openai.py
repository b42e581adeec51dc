"""Models behind the chat and embedding calls that OpenAI made common: its own and compatible servers."""

from collections.abc import Mapping, Sequence

from signet.errors import ProviderDown, ProviderFailed
from signet.net.http import host_of
from signet.providers.exchange import REFUSED_SECONDS, Exchange
from signet.providers.loose import as_object, first_object
from signet.providers.ports import Completion, Shape
from signet.providers.vectors import EMBED_SECONDS, batches

BASE_URL = "https://api.openai.com/v1"
VENDOR_HOST = "api.openai.com"
#: The vendor's models of this family shorten their vectors to the length that is asked for.
SHORTENING_FAMILY = "text-embedding-3"

PROBE_SECONDS = 5.0

#: Servers that list no models answer so; they may be asked all the same.
NO_LIST = frozenset({404, 405})


class _Server:
    """What text and embedding models share: the address, the key and whether there is anybody."""

    def __init__(self, url: str, model: str, api_key: str | None) -> None:
        self.model = model
        self.name = f"openai:{model}"
        self._is_vendor = host_of(url) == VENDOR_HOST
        self._has_key = bool(api_key)
        self._exchange = Exchange(self.name, url, api_key=api_key)

    def available(self) -> bool:
        """Return whether the server answers and takes the key; never raises."""
        return self.fault() is None

    def fault(self) -> str | None:
        """Return why the server cannot be used, None when it can; never raises."""
        if self._is_vendor and not self._has_key:
            return "Missing OpenAI API key"
        try:
            self._exchange.get("/models", timeout_seconds=PROBE_SECONDS)
        except ProviderDown as error:
            return error.message
        except ProviderFailed as error:
            return None if error.facts.get("status") in NO_LIST else error.message
        return None

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._exchange.close()

    def _post(
        self,
        path: str,
        payload: Mapping[str, object],
        *,
        timeout_seconds: float,
        wishes: Sequence[Mapping[str, object]] = (),
    ) -> Mapping[str, object]:
        self._need_key()
        body = {"model": self.model, **payload}
        return self._exchange.post(path, body, timeout_seconds=timeout_seconds, wishes=wishes)

    def _need_key(self) -> None:
        if self._is_vendor and not self._has_key:
            raise ProviderDown(
                f"{self.name}: {VENDOR_HOST} requires a key (api_key or OPENAI_API_KEY)",
                retry_after_seconds=REFUSED_SECONDS,
                provider=self.name,
            )


class OpenAIModel(_Server):
    """A language model behind `{url}/chat/completions`."""

    def __init__(self, url: str, model: str, *, api_key: str | None = None) -> None:
        super().__init__(url, model, api_key)
        # The vendor's newer models refuse the old name, compatible servers do not know the new one.
        self._limit_name = "max_completion_tokens" if self._is_vendor else "max_tokens"

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer to one user message."""
        payload = {
            "messages": [{"role": "user", "content": prompt}],
            self._limit_name: max_tokens,
            "stream": False,
        }
        answer = self._post(
            "/chat/completions",
            payload,
            timeout_seconds=timeout_seconds,
            # Some servers know no schemas, and the vendor's models that think refuse a temperature.
            wishes=[] if shape is None else [_as_format(shape), {"temperature": 0}],
        )
        usage = as_object(answer.get("usage"))
        return self._exchange.completion(
            as_object(first_object(answer.get("choices")).get("message")).get("content"),
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
        )


class OpenAIEmbedder(_Server):
    """An embedding model behind `{url}/embeddings`."""

    def __init__(
        self, url: str, model: str, *, dimensions: int, api_key: str | None = None
    ) -> None:
        super().__init__(url, model, api_key)
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text, in the same order; a long list travels in parts."""
        return [v for batch in batches(texts) for v in self._embed_batch(batch)]

    def _embed_batch(self, texts: list[str]) -> list[bytes]:
        payload: dict[str, object] = {"input": texts}
        if self.model.startswith(SHORTENING_FAMILY):
            payload["dimensions"] = self.dimensions
        answer = self._post("/embeddings", payload, timeout_seconds=EMBED_SECONDS)
        return self._exchange.vectors(
            _in_order(answer.get("data")), count=len(texts), dimensions=self.dimensions
        )


def _as_format(shape: Shape) -> Mapping[str, object]:
    schema = {"name": "answer", "schema": shape}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _in_order(data: object) -> object:
    """Return the vectors in the order of the texts, which is told by `index`, not by their place."""
    if not isinstance(data, list):
        return None
    by_place: dict[int, object] = {}
    for place, row in enumerate(map(as_object, data)):
        told = row.get("index")
        by_place[told if isinstance(told, int) else place] = row.get("embedding")
    return [by_place.get(place) for place in range(len(data))]
