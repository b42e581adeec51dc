"""Protocols of text and embedding models.

Implementations raise only ProviderDown (retry later; the job waits), ProviderFailed (an error or an unusable answer)
or ProviderTimeout. They may be called from several threads. Vectors are bytes: little-endian float32, 4 * dimensions
long.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

#: The required form of an answer, as a JSON schema.
Shape = Mapping[str, object]

#: A question's vector by the weights of its words (lower-case, without accents; empty for equal weights). Models that
#: cannot weight words ignore them.
Reading = Callable[[Mapping[str, float]], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's text, never empty, and its token counts if the provider reports them."""

    text: str
    input_tokens: int | None
    output_tokens: int | None
    #: Whether the answer ended at the limit of tokens, where the provider reports that.
    is_cut: bool = False


class LanguageModel(Protocol):
    """A text model; `name` is `kind:model`."""

    @property
    def name(self) -> str: ...

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer within `timeout_seconds` in total.

        With a `shape`, requests the most likely answer in that form; the answer may still differ.
        """
        ...

    def available(self) -> bool:
        """Return whether the provider answers and has the model; never raises."""
        ...


class Embedder(Protocol):
    """An embedding model; `name` is `kind:model`, `dimensions` the length of each vector."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str], *, are_queries: bool = False) -> list[bytes]:
        """Return one vector for each text, in the same order; many models embed queries and passages differently."""
        ...

    def question(self, text: str) -> Reading: ...

    def available(self) -> bool:
        """Return whether the provider answers and has the model; never raises."""
        ...

    def fault(self) -> str | None:
        """Return why the provider cannot be used, None if it can; never raises."""
        ...
