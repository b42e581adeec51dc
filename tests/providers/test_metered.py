"""Every call of a model counts once, whatever comes of it."""

from collections.abc import Sequence

import pytest

from signet.errors import ModelNotInstalled, ProviderDown, ProviderFailed, ProviderTimeout
from signet.observe import metrics
from signet.providers.metered import MeteredEmbedder, MeteredModel
from signet.providers.ports import Completion, Embedder, LanguageModel, Reading, Shape

DONE = Completion(text="yes", input_tokens=None, output_tokens=None)


class Stub:
    """A model and an embedder that do what they are told."""

    model, dimensions = "m", 1

    def __init__(self, name: str, error: BaseException | None) -> None:
        self.name = name
        self._error = error

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        if self._error:
            raise self._error
        return DONE

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        if self._error:
            raise self._error
        return [b"1234" for _ in texts]

    def question(self, text: str) -> Reading:
        (vector,) = self.embed([text])
        return lambda _: vector

    def available(self) -> bool:
        return self._error is None

    def fault(self) -> str | None:
        return None if self._error is None else str(self._error)


def counted(provider: str, outcome: str) -> float:
    return float(metrics.PROVIDER_CALLS.labels(provider, outcome)._value.get())


def timed(provider: str) -> float:
    samples = metrics.PROVIDER_SECONDS.labels(provider)._child_samples()
    return float(next(sample.value for sample in samples if sample.name == "_count"))


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "success"),
        (ProviderDown("away"), "failure"),
        (ProviderFailed("nonsense"), "failure"),
        (ProviderTimeout("late"), "timeout"),
        (KeyboardInterrupt(), "failure"),
    ],
)
def test_a_call_leaves_one_count_with_its_outcome(
    error: BaseException | None, outcome: str
) -> None:
    provider = f"stub-{type(error).__name__}"
    stub = Stub(f"{provider}:m", error)
    for ask in (
        lambda: MeteredModel(stub).generate("?", timeout_seconds=1, max_tokens=1),
        lambda: MeteredEmbedder(stub).embed(["?"]),
        lambda: MeteredEmbedder(stub).question("?"),
    ):
        before = counted(provider, outcome)
        if error is None:
            assert ask()
        else:
            with pytest.raises(type(error)):
                ask()
        assert counted(provider, outcome) == before + 1
    assert timed(provider) == 3


def test_a_model_that_was_never_fetched_is_nobody_who_failed() -> None:
    with pytest.raises(ModelNotInstalled):
        MeteredEmbedder(Stub("metered-none:x", ModelNotInstalled())).embed(["a"])
    assert counted("metered-none", "failure") == 0
    assert timed("metered-none") == 0


def test_all_else_is_as_it_was() -> None:
    stub = Stub("ollama:m", None)
    model: LanguageModel = MeteredModel(stub)
    embedder: Embedder = MeteredEmbedder(stub)
    assert model.generate("?", timeout_seconds=1, max_tokens=1) is DONE
    assert embedder.embed(["a", "b"]) == [b"1234", b"1234"]
    assert embedder.question("a")({}) == b"1234"
    assert (model.name, embedder.name) == ("ollama:m", "ollama:m")
    assert (embedder.model, embedder.dimensions) == ("m", 1)
    assert model.available() and embedder.available()
