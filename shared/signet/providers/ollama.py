"""Models of an Ollama server, usually on this machine: text and embeddings."""

from collections.abc import Mapping, Sequence

from signet.errors import ProviderDown, ProviderFailed
from signet.providers.exchange import Exchange
from signet.providers.ports import Completion, Shape
from signet.providers.served import Served, ServedEmbedder
from signet.providers.vectors import EMBED_SECONDS

#: Context for the longest extraction prompt (12 000 characters) and its answer; Ollama silently truncates at its
#: default.
CONTEXT_TOKENS = 8192
#: A local server lists its models at once; a slow one is loading and is retried later.
PROBE_SECONDS = 3.0
#: Models of the server to list when ours is missing.
SHOWN_MODELS = 20
#: Wait for a missing model, which a person may be pulling.
MISSING_SECONDS = 60.0

NOT_FOUND = 404


class ModelMissing(ProviderDown):
    """The model is not installed on the Ollama server."""

    code = "model_missing"


def installed(url: str) -> list[str]:
    """Return a server's models; raises ProviderDown or ProviderFailed, after 3 s at most."""
    exchange = Exchange("ollama", url)
    try:
        return _names(exchange)
    finally:
        exchange.close()


def _names(exchange: Exchange) -> list[str]:
    models = exchange.get("/api/tags", timeout_seconds=PROBE_SECONDS).get("models")
    listed = models if isinstance(models, list) else []
    return [str(m.get("name")) for m in listed if isinstance(m, dict)]


class _Ollama(Served):
    """Common part of text and embedding models: whether the model exists."""

    def probe(self) -> str | None:
        """Return that the server lacks the model, None if it has it."""
        names = _names(self.exchange)
        if any(name == self.model or name.startswith(f"{self.model}:") for name in names):
            return None
        there = ", ".join(sorted(names)[:SHOWN_MODELS]) or "none"
        return f"{self.name}: the model is not installed; the server has {there}"

    def post(
        self,
        path: str,
        payload: Mapping[str, object],
        *,
        timeout_seconds: float,
        wishes: Sequence[Mapping[str, object]] = (),
    ) -> Mapping[str, object]:
        """Post a request; raises ModelMissing for a model that is not installed."""
        try:
            return super().post(path, payload, timeout_seconds=timeout_seconds, wishes=wishes)
        except ProviderFailed as error:
            if error.facts.get("status") != NOT_FOUND:
                raise
            raise ModelMissing(
                f"{error.message}; to install the model: ollama pull {self.model}",
                retry_after_seconds=MISSING_SECONDS,
                provider=self.name,
                status=NOT_FOUND,
            ) from error


class OllamaModel(_Ollama):
    """A language model of an Ollama server."""

    def __init__(self, url: str, model: str, *, context_tokens: int = CONTEXT_TOKENS) -> None:
        super().__init__("ollama", url, model)
        self._context_tokens = context_tokens

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer; thinking aloud is disabled, but may occur."""
        options = {"num_predict": max_tokens, "num_ctx": self._context_tokens}
        payload = {
            "prompt": prompt,
            "stream": False,
            "think": False,
            "options": options if shape is None else {**options, "temperature": 0},
        }
        answer = self.post(
            "/api/generate",
            payload,
            timeout_seconds=timeout_seconds,
            wishes=[] if shape is None else [{"format": shape}],
        )
        return self.exchange.completion(
            answer.get("response"),
            answer.get("prompt_eval_count"),
            answer.get("eval_count"),
            end=answer.get("done_reason"),
        )


class OllamaEmbedder(_Ollama, ServedEmbedder):
    """An embedding model of an Ollama server."""

    def __init__(self, url: str, model: str, *, dimensions: int) -> None:
        super().__init__("ollama", url, model)
        self.dimensions = dimensions

    def rows(self, texts: list[str]) -> object:
        """Return the vectors of a few texts."""
        try:
            answer = self.post("/api/embed", {"input": texts}, timeout_seconds=EMBED_SECONDS)
            return answer.get("embeddings")
        except ModelMissing:
            # Servers before 0.3 lack this path; a missing model fails here again.
            return [self._row(text) for text in texts]

    def _row(self, text: str) -> object:
        answer = self.post("/api/embeddings", {"prompt": text}, timeout_seconds=EMBED_SECONDS)
        return answer.get("embedding")
