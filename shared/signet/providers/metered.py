"""Models with counted, timed and traced calls.

Metrics are labelled by kind of provider, not by model, to keep labels few.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from signet.errors import ModelNotInstalled, ProviderTimeout, SignetError
from signet.observe import metrics, record, taxonomy
from signet.observe.record import TelemetryKind
from signet.observe.tracing import TRACES
from signet.providers import capacity, track
from signet.providers.ports import Completion, Embedder, LanguageModel, Reading, Shape
from signet.providers.track import Timing

T = TypeVar("T")


class CallOutcome(StrEnum):
    """The outcome of a provider call, as stored and shown."""

    SUCCESS = "success"
    FAILURE = "failure"
    TIMEOUT = "timeout"


class CallKind(StrEnum):
    """Kinds of provider calls."""

    LLM = "llm"
    EMBEDDING = "embedding"


#: Span names of the operations (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
_OPERATIONS = {CallKind.LLM: "chat", CallKind.EMBEDDING: "embeddings"}


class MeteredModel:
    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        call = ProviderCall()
        try:
            with metered(self.name, CallKind.LLM) as call:
                call.answer = self._model.generate(
                    prompt, timeout_seconds=timeout_seconds, max_tokens=max_tokens, shape=shape
                )
            return call.answer
        finally:
            _tell_generated(self.name, call)
            _keep_track(self.name, prompt, max_tokens, call)

    def available(self) -> bool:
        return self._model.available()


class MeteredEmbedder:
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

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        return self._told(lambda: self._embedder.embed(texts, are_queries=are_queries), len(texts))

    def question(self, text: str) -> Reading:
        return self._told(lambda: self._embedder.question(text), 1)

    def _told(self, work: Callable[[], T], texts: int) -> T:
        call = ProviderCall()
        try:
            with metered(self.name, CallKind.EMBEDDING) as call:
                return work()
        finally:
            if call.was_made:
                _tell_embedded(self.name, call, texts)

    def available(self) -> bool:
        return self._embedder.available()

    def fault(self) -> str | None:
        return self._embedder.fault()


@dataclass(slots=True)
class ProviderCall:
    #: The answer of a language model.
    answer: Completion | None = None
    outcome: CallOutcome = CallOutcome.SUCCESS
    error: BaseException | None = None
    duration_ms: float = 0.0

    @property
    def was_made(self) -> bool:
        return not isinstance(self.error, ModelNotInstalled)


@contextmanager
def metered(name: str, kind: CallKind) -> Iterator[ProviderCall]:
    """Count and time the call in the block and record its outcome, even if it is interrupted.

    `name` is `kind:model`.
    """
    provider, _, model = name.partition(":")
    started, call = time.monotonic(), ProviderCall()
    span = TRACES.call(_OPERATIONS[kind], provider, model)
    try:
        yield call
    except BaseException as error:
        is_late = isinstance(error, ProviderTimeout)
        call.error, call.outcome = error, CallOutcome.TIMEOUT if is_late else CallOutcome.FAILURE
        span.fail(error.code if isinstance(error, SignetError) else type(error).__name__)
        raise
    finally:
        took = time.monotonic() - started
        if call.answer is not None:
            span.note(
                {
                    "gen_ai.usage.input_tokens": call.answer.input_tokens,
                    "gen_ai.usage.output_tokens": call.answer.output_tokens,
                }
            )
        span.end()
        call.duration_ms = round(took * 1000, 1)
        if call.was_made:
            metrics.PROVIDER_CALLS.labels(provider, call.outcome).inc()
            metrics.PROVIDER_SECONDS.labels(provider).observe(took)
            why = None if call.error is None else _words(call.error)
            record.outcome(provider, kind, call.outcome, why)


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _tell_generated(name: str, call: ProviderCall) -> None:
    provider = name.partition(":")[0]
    used: tuple[int | None, int | None] = (None, None)
    if call.answer is not None:
        used = (call.answer.input_tokens, call.answer.output_tokens)
        for direction, tokens in zip(("input", "output"), used, strict=True):
            metrics.PROVIDER_TOKENS.labels(provider, direction).inc(tokens or 0)
    is_late = call.outcome is CallOutcome.TIMEOUT
    record.event(
        TelemetryKind.LLM_GENERATE,
        provider=provider,
        inputTokens=used[0],
        outputTokens=used[1],
        cacheReadTokens=None,
        cacheCreationTokens=None,
        totalCost=None,
        durationMs=call.duration_ms,
        success=call.error is None,
        errorCode=None if call.error is None else "TIMEOUT" if is_late else "ERROR",
    )


def _keep_track(name: str, prompt: str, max_tokens: int, call: ProviderCall) -> None:
    if call.outcome is CallOutcome.TIMEOUT:
        track.late(name)
    if call.answer is None:
        return
    read = call.answer.input_tokens or capacity.estimate(prompt)
    written = call.answer.output_tokens or capacity.estimate(call.answer.text)
    seconds = round(call.duration_ms / 1000, 2)
    track.answered(name, Timing(seconds, read, written, call.answer.is_cut, max_tokens))


def _tell_embedded(name: str, call: ProviderCall, texts: int) -> None:
    provider, _, model = name.partition(":")
    code = None if call.error is None else taxonomy.of_embedding(call.error)
    if code is not None and call.error is not None:
        record.error(code, _words(call.error), duration_ms=call.duration_ms)
    record.event(
        TelemetryKind.PIPELINE_EMBEDDING,
        provider=provider,
        model=model,
        count=texts,
        durationMs=call.duration_ms,
        success=call.error is None,
    )
