"""What is remembered about a prompt, as a text for a model: enclosed, dated, within a size, never as instructions."""

from collections.abc import Sequence
from dataclasses import dataclass

from signet.client.answers import ContextSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A text for a system prompt, empty when nothing is remembered, and what is in it, in its order."""

    text: str
    sources: Sequence[ContextSource]

    def __str__(self) -> str:
        return self.text
