"""Models of an Ollama server, usually on this machine: text and embeddings."""

import time

from signet.errors import ModelMissing, ProviderExhausted, ProviderTooLong
from signet.providers.capacity import SMALL_TOKENS, Capacity
from signet.providers.exchange import Exchange
from signet.providers.ports import Completion, Shape
from signet.providers.served import Served, ServedEmbedder
from signet.providers.vectors import EMBED_SECONDS
from signet.text.json_text import as_object

#: Context sizes to request: usually, for a long request, and where memory is scarce. Ollama reloads a model whose size
#: changes, so a size is kept.
USUAL_TOKENS, MOST_TOKENS, LEAST_TOKENS = 8192, 16_384, 4096
#: A local server lists its models at once; a slow one is loading and is retried later.
PROBE_SECONDS = 3.0
#: Models of the server to list when ours is missing.
SHOWN_MODELS = 20


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

    def advice(self) -> str:
        return f"to install the model: ollama pull {self.model}"

    def probe(self) -> str | None:
        """Return an error text if the server lacks the model, otherwise None."""
        names = _names(self.exchange)
        if any(name == self.model or name.startswith(f"{self.model}:") for name in names):
            return None
        there = ", ".join(sorted(names)[:SHOWN_MODELS]) or "none"
        return f"{self.name}: the model is not installed; the server has {there}"


#: By server and model: the context size in use.
_sizes: dict[tuple[str, str], int] = {}


class OllamaModel(_Ollama):
    def __init__(self, url: str, model: str) -> None:
        super().__init__("ollama", url, model)
        self._key = (self.server.url, model)

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer; thinking aloud is disabled, but may occur.

        When the server lacks memory for the context, a smaller one is tried at once.
        """
        until = time.monotonic() + timeout_seconds
        while True:
            size = self._size(prompt, max_tokens)
            left = max(until - time.monotonic(), 0.01)
            try:
                return self._asked(prompt, left, self.room(prompt, max_tokens), shape, size)
            except ProviderExhausted:
                if size <= LEAST_TOKENS:
                    raise
                self.server.refused(size // 2)

    def ask_capacity(self) -> Capacity:
        """Return the largest context that a request may have, at most `MOST_TOKENS` unless it is loaded with more."""
        shown = self.exchange.post(
            "/api/show", {"model": self.model}, timeout_seconds=PROBE_SECONDS
        )
        facts = as_object(shown.get("model_info"))
        trained = [
            size
            for name, size in facts.items()
            if name.endswith(".context_length") and isinstance(size, int)
        ]
        if not trained:
            return Capacity(context_tokens=USUAL_TOKENS)
        loaded = self._loaded()
        # Another program may hold the model with a larger context; a smaller one would make Ollama load it again.
        _sizes[self._key] = max(_sizes.get(self._key, USUAL_TOKENS), loaded)
        return Capacity(context_tokens=min(trained[0], max(MOST_TOKENS, loaded)))

    def _loaded(self) -> int:
        """Return the context size with which the server holds the model, 0 if it does not."""
        listed = self.exchange.get("/api/ps", timeout_seconds=PROBE_SECONDS).get("models")
        rows = [as_object(row) for row in listed] if isinstance(listed, list) else []
        sizes = [
            row.get("context_length")
            for row in rows
            if row.get("name") in (self.model, f"{self.model}:latest")
        ]
        return max((size for size in sizes if isinstance(size, int)), default=0)

    def _size(self, prompt: str, max_tokens: int) -> int:
        """Return the context size to request: that in use, or a larger one for a long request."""
        tokens = self.server.tokens(prompt) + max_tokens
        known = self.capacity() if tokens > SMALL_TOKENS else self.server.known()
        if known.context_tokens is None:
            return USUAL_TOKENS
        used = _sizes.get(self._key, USUAL_TOKENS)
        _sizes[self._key] = min(used if tokens <= used else MOST_TOKENS, known.context_tokens)
        return _sizes[self._key]

    def _asked(
        self, prompt: str, seconds: float, max_tokens: int, shape: Shape | None, size: int
    ) -> Completion:
        options = {"num_predict": max_tokens, "num_ctx": size}
        payload = {
            "prompt": prompt,
            "stream": True,
            "think": False,
            # An error instead of a prompt without its beginning; older servers ignore these fields.
            "truncate": False,
            "shift": False,
            "options": options if shape is None else {**options, "temperature": 0},
        }
        answer = self.post(
            "/api/generate",
            payload,
            timeout_seconds=seconds,
            silence_seconds=self.silence(prompt, max_tokens),
            wishes=[] if shape is None else [{"format": shape}],
        )
        read = answer.get("prompt_eval_count")
        if isinstance(read, int):
            self.server.counted(prompt, read)
            if read >= size:
                raise ProviderTooLong(
                    f"{self.name}: the server cut the request to its context of {size} tokens",
                    provider=self.name,
                )
        return self.exchange.completion(
            answer.get("response"), read, answer.get("eval_count"), end=answer.get("done_reason")
        )


class OllamaEmbedder(_Ollama, ServedEmbedder):
    """An embedding model of an Ollama server."""

    def __init__(self, url: str, model: str, *, dimensions: int) -> None:
        super().__init__("ollama", url, model)
        self.dimensions = dimensions

    def rows(self, texts: list[str]) -> object:
        try:
            answer = self.post("/api/embed", {"input": texts}, timeout_seconds=EMBED_SECONDS)
            return answer.get("embeddings")
        except ModelMissing:
            # Servers before 0.3 lack this path; a missing model fails here again.
            return [self._row(text) for text in texts]

    def _row(self, text: str) -> object:
        answer = self.post("/api/embeddings", {"prompt": text}, timeout_seconds=EMBED_SECONDS)
        return answer.get("embedding")
