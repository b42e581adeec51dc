"""What the product asks of a model, whoever answers.

Implementations raise ProviderDown (it may be asked again later; the job waits), ProviderFailed (it answered with
an error or nonsense) or ProviderTimeout (no answer in time), and nothing else. They may be called from several
threads at once. Vectors are bytes: little-endian float32, 4 * dimensions long.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

#: What an answer has to look like, as a JSON schema.
Shape = Mapping[str, object]

#: A question that was read: gives its vector, by how much its words tell (lower-case, without accents; an empty mapping
#: for all alike). A model that cannot weigh them gives the same for any.
Reading = Callable[[Mapping[str, float]], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The text a model wrote, never empty, and what it cost if the provider says."""

    text: str
    input_tokens: int | None
    output_tokens: int | None
    #: Whether the answer ended at the limit of tokens, where the provider reports that.
    is_cut: bool = False


class LanguageModel(Protocol):
    """Writes text; `name` is `kind:model`."""

    @property
    def name(self) -> str: ...

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the model's answer within `timeout_seconds` in total.

        With a `shape` the likeliest answer is asked for, in that shape; what comes may have another one all the same.
        """
        ...

    def available(self) -> bool:
        """Return whether the provider answers and has the model; never raises."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors; `name` is `kind:model`, `dimensions` the length of each vector."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector for each text, in the same order."""
        ...

    def question(self, text: str) -> Reading:
        """Return what gives the vector of a question, which some models read in another way than a text."""
        ...

    def available(self) -> bool:
        """Return whether the provider answers and has the model; never raises."""
        ...

    def fault(self) -> str | None:
        """Return why the provider cannot be used, None when it can; never raises."""
        ...
