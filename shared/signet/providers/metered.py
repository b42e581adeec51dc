"""Models whose every call is counted and timed.

The label is the kind of provider, not its model: a metric's labels are few.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum

from signet.errors import ProviderTimeout
from signet.observe import metrics
from signet.providers.ports import Completion, Embedder, LanguageModel


class Outcome(StrEnum):
    """What came of one call to a provider; the words that are stored and shown."""

    SUCCESS = "success"
    FAILURE = "failure"
    TIMEOUT = "timeout"


class MeteredModel:
    """A LanguageModel as it is, counted."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def generate(self, prompt: str, *, timeout_seconds: float, max_tokens: int) -> Completion:
        """Return the model's answer."""
        with metered(self.name):
            return self._model.generate(
                prompt, timeout_seconds=timeout_seconds, max_tokens=max_tokens
            )

    def available(self) -> bool:
        """Return whether the provider answers and has the model; never raises."""
        return self._model.available()


class MeteredEmbedder:
    """An Embedder as it is, counted."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text, in the same order."""
        with metered(self.name):
            return self._embedder.embed(texts)

    def available(self) -> bool:
        """Return whether the provider answers and has the model; never raises."""
        return self._embedder.available()

    def fault(self) -> str | None:
        """Return why the provider cannot be used, None when it can; never raises."""
        return self._embedder.fault()


@contextmanager
def metered(name: str) -> Iterator[None]:
    """Count and time the call in the block, also when it is interrupted; `name` is `kind:model`."""
    provider, started, outcome = name.partition(":")[0], time.monotonic(), Outcome.FAILURE
    try:
        yield
        outcome = Outcome.SUCCESS
    except ProviderTimeout:
        outcome = Outcome.TIMEOUT
        raise
    finally:
        metrics.PROVIDER_CALLS.labels(provider, outcome).inc()
        metrics.PROVIDER_SECONDS.labels(provider).observe(time.monotonic() - started)
